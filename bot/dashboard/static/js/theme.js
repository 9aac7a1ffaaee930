/* Light or dark as the player chose last. A plain script, run before the page is painted; a button with
   data-theme-toggle changes it. */
(() => {
  const root = document.documentElement;
  const read = () => {
    try {
      return localStorage.getItem("krait.theme");
    } catch {
      return null; // storage may be forbidden: the system's choice stands
    }
  };
  const chosen = read();
  if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;

  const isDark = () =>
    root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;

  const label = (button) => {
    button.setAttribute("aria-pressed", String(isDark()));
  };

  document.addEventListener("DOMContentLoaded", () => {
    for (const button of document.querySelectorAll("[data-theme-toggle]")) {
      label(button);
      button.addEventListener("click", () => {
        root.dataset.theme = isDark() ? "light" : "dark";
        try {
          localStorage.setItem("krait.theme", root.dataset.theme);
        } catch {
          // it holds for this page
        }
        label(button);
      });
    }
  });
})();
