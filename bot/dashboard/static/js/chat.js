/** The players' chat. */

const $ = (id) => document.getElementById(id);

export class Chat {
  /** @param {(text: string) => Promise<unknown>} say */
  constructor(say) {
    this.unread = 0; // lines that came while the chat was folded away
    $("chat").addEventListener("toggle", () => this.#count(this.unread));
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
    this.#count(0);
  }

  #count(unread) {
    this.unread = $("chat").open ? 0 : unread;
    $("chat").querySelector("summary").textContent = this.unread ? `Chat (${this.unread})` : "Chat";
  }

  add({ username, text }) {
    const line = document.createElement("li");
    const name = document.createElement("b");
    name.textContent = username;
    line.append(name, text);
    $("chat-lines").append(line);
    this.#count(this.unread + 1);
    $("chat-lines").scrollTop = $("chat-lines").scrollHeight;
  }
}
