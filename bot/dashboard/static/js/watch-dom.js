/** Small tools for making and changing elements. Text is always text: nothing here reads HTML. */

const SVG = "http://www.w3.org/2000/svg";

export const byId = (id) => document.getElementById(id);

/** An element with attributes and children; a child may be a string. */
export function el(tag, attributes = {}, ...children) {
  return dress(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return dress(document.createElementNS(SVG, tag), attributes, children);
}

function dress(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Change the text only where it differs: what is being read stays where it is. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * A cell is a string, or {text, href, kind, title, sort}: `kind` becomes its class.
 * @typedef {string | {text: string, href?: string, kind?: string, title?: string}} Cell
 */

/** Show a table: columns with their headings, and rows of cells. Only cells that differ are touched. */
export function fillTable(table, { caption, columns, rows, empty = "Nothing yet." }) {
  if (!table.tHead) {
    table.append(el("caption", { class: "visually-hidden" }, caption));
    const heads = columns.map(({ name, kind }) => el("th", { scope: "col", class: kind }, name));
    table.append(el("thead", {}, el("tr", {}, ...heads)), el("tbody"));
  }
  const body = table.tBodies[0];
  table.tHead.hidden = !rows.length;
  const shown = rows.length ? rows : [[{ text: empty, kind: "empty", span: columns.length }]];
  while (body.rows.length > shown.length) body.deleteRow(-1);
  shown.forEach((cells, index) => fillRow(body.rows[index] ?? body.insertRow(), cells, columns));
}

function fillRow(row, cells, columns) {
  while (row.cells.length > cells.length) row.deleteCell(-1);
  cells.forEach((cell, index) => {
    const wanted = typeof cell === "string" ? { text: cell } : cell;
    const key = JSON.stringify(wanted);
    const td = row.cells[index] ?? row.insertCell();
    if (td.dataset.key === key) return;
    td.dataset.key = key;
    td.className = [columns[index]?.kind, wanted.kind].filter(Boolean).join(" ");
    td.title = wanted.title ?? "";
    td.colSpan = wanted.span ?? 1;
    td.replaceChildren(wanted.href ? el("a", { href: wanted.href }, wanted.text) : wanted.text);
  });
}

/** Children by key: `make(item)` once for each, `show(child, item)` whenever told; the rest leaves. */
export class Keyed {
  constructor(root, make, show) {
    this.root = root;
    this.make = make;
    this.show = show;
    this.kept = new Map();
  }

  set(items, keyOf) {
    const keys = items.map(keyOf);
    for (const [key, child] of this.kept) {
      if (keys.includes(key)) continue;
      child.root.remove();
      this.kept.delete(key);
    }
    items.forEach((item, index) => {
      const key = keys[index];
      if (!this.kept.has(key)) this.kept.set(key, this.make(item));
      const child = this.kept.get(key);
      if (this.root.children[index] !== child.root) this.root.insertBefore(child.root, this.root.children[index] ?? null);
      this.show(child, item);
    });
  }
}
