/** The players' chat. */

const $ = (id) => document.getElementById(id);

export class Chat {
  /** @param {(text: string) => Promise<unknown>} say */
  constructor(say) {
    $("chat-form").addEventListener("submit", async (event) => {
      event.preventDefault();
      const text = $("chat-text").value.trim();
      if (!text) return;
      try {
        await say(text);
        $("chat-text").value = "";
      } catch {
        // what was typed stays there to be sent again
      }
    });
  }

  clear() {
    $("chat-lines").replaceChildren();
  }

  add({ username, text }) {
    const line = document.createElement("li");
    const name = document.createElement("b");
    name.textContent = username;
    line.append(name, text);
    $("chat-lines").append(line);
    $("chat-lines").scrollTop = $("chat-lines").scrollHeight;
  }
}
