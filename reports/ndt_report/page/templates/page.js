"use strict";
// Tables are sorted by a column when its head is clicked: numbers by the first one of a cell, the rest by text.
const first = (cell) => {
  const text = cell ? cell.textContent.trim() : "";
  const found = text.replace(/(\d),(?=\d{3})/g, "$1").match(/^[^\w–-]*([-+]?\d[\d.]*(e[-+]?\d+)?)/);
  return { text, number: found ? Number(found[1]) : NaN };
};
const compare = (a, b) => {
  if (Number.isNaN(a.number) !== Number.isNaN(b.number)) return Number.isNaN(a.number) ? 1 : -1;
  return Number.isNaN(a.number) ? a.text.localeCompare(b.text) : a.number - b.number;
};
const sort = (head) => {
  const table = head.closest("table"), body = table.tBodies[0];
  const column = [...head.parentNode.cells].indexOf(head);
  const down = head.getAttribute("aria-sort") === "ascending";
  for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  const keyed = [...body.rows].map((row) => ({ row, key: first(row.cells[column]) }));
  keyed.sort((a, b) => (down ? compare(b.key, a.key) : compare(a.key, b.key)));
  body.append(...keyed.map((entry) => entry.row));
};
for (const head of document.querySelectorAll("thead th")) {
  head.tabIndex = 0;
  head.addEventListener("click", () => sort(head));
  head.addEventListener("keydown", (event) => { if (event.key === "Enter") sort(head); });
}
