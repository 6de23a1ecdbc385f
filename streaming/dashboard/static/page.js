// The pages work without this. With it they refresh themselves, filter while one types, and keep
// focus, scroll and what was opened while they do.
"use strict";

document.documentElement.classList.add("js");
const fresh = () => document.getElementById("fresh");
const every = Number(fresh().dataset.refresh) * 1000;
let etag = "";
let asked = 0;
let ahead = 0; // the server's clock before this one's, in milliseconds

/* Bring one tree to look like another, keeping the nodes that stay. */
function morph(from, to) {
  if (from.nodeType !== to.nodeType || from.nodeName !== to.nodeName) {
    from.replaceWith(to.cloneNode(true));
    return;
  }
  if (from.nodeType === Node.TEXT_NODE) {
    if (from.data !== to.data) from.data = to.data;
    return;
  }
  if (from.nodeType !== Node.ELEMENT_NODE || from.isEqualNode(to)) return;
  attributes(from, to);
  children(from, to);
}

function attributes(from, to) {
  for (const { name, value } of [...to.attributes]) {
    if (from.getAttribute(name) !== value) from.setAttribute(name, value);
  }
  for (const { name } of [...from.attributes]) {
    // Whoever opened a fold wants it to stay open.
    if (!to.hasAttribute(name) && !(name === "open" && from.nodeName === "DETAILS")) from.removeAttribute(name);
  }
  if (from.nodeName === "INPUT" && from !== document.activeElement) {
    from.value = to.value;
    from.checked = to.checked;
  }
  if (from.nodeName === "SELECT" && from !== document.activeElement) from.value = to.value;
}

/* Not node.id: a form with a field named "id" gives that field. */
function idOf(node) {
  return node.nodeType === Node.ELEMENT_NODE ? node.getAttribute("id") : null;
}

function children(from, to) {
  const named = new Map();
  for (const child of from.children) if (idOf(child)) named.set(idOf(child), child);
  let place = from.firstChild;
  for (const wanted of [...to.childNodes]) {
    const known = named.get(idOf(wanted));
    if (known) {
      if (known !== place) from.insertBefore(known, place);
      else place = place.nextSibling;
      morph(known, wanted);
    } else if (place && !idOf(place) && !idOf(wanted) && place.nodeName === wanted.nodeName) {
      const next = place.nextSibling;
      morph(place, wanted);
      place = next;
    } else {
      from.insertBefore(wanted.cloneNode(true), place);
    }
  }
  while (place) {
    const next = place.nextSibling;
    place.remove();
    place = next;
  }
}

/* Fetch a page and show it in place; of several under way only the last counts. */
async function show(address, keep) {
  const turn = ++asked;
  const headers = keep && etag ? { "If-None-Match": etag } : {};
  let answer;
  try {
    answer = await fetch(address, { headers, cache: "no-store" });
  } catch {
    say("No connection to the dashboard");
    return;
  }
  if (turn !== asked) return;
  if (answer.status === 304) {
    say("");
    return;
  }
  const text = await answer.text();
  if (turn !== asked) return;
  etag = answer.headers.get("ETag") || "";
  const page = new DOMParser().parseFromString(text, "text/html");
  document.title = page.title;
  for (const part of ["main", "header.bar", "footer"]) morph(document.querySelector(part), page.querySelector(part));
  setClock();
  tick();
}

function setClock() {
  const { now } = document.getElementById("main").dataset;
  if (now) ahead = new Date(now) - Date.now();
}

function say(words) {
  const place = fresh();
  place.classList.toggle("lost", Boolean(words));
  place.title = words;
}

/* "26 min ago" goes on by itself. */
function tick() {
  const now = Date.now() + ahead;
  for (const time of document.querySelectorAll("time[data-ago]")) {
    const words = `${duration(calm((now - new Date(time.dateTime)) / 1000))} ago`;
    if (time.textContent !== words) time.textContent = words;
  }
}

/* Seconds beside minutes only make it restless. */
function calm(seconds) {
  return seconds >= 60 && seconds < 3600 ? seconds - (seconds % 60) : seconds;
}

function duration(seconds) {
  let rest = Math.max(0, Math.floor(seconds));
  const parts = [];
  for (const [unit, size] of [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]]) {
    const amount = Math.floor(rest / size);
    rest -= amount * size;
    if (amount || parts.length) parts.push(amount ? `${amount} ${unit}` : "");
  }
  return parts.slice(0, 2).filter(Boolean).join(" ") || "0 s";
}

function go(address) {
  history.pushState(null, "", address);
  show(address, false);
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-soft]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  go(link.href);
});

/* A form's address holds only what differs from its empty state. */
function addressOf(form) {
  const address = new URL(form.action);
  for (const field of form.elements) {
    const unset = !field.name || !field.value || field.value === field.dataset.none;
    if (!unset && (field.type !== "checkbox" || field.checked)) address.searchParams.append(field.name, field.value);
  }
  const sort = new URL(location.href).searchParams;
  for (const name of ["sort", "reverse"]) {
    if (!form.elements[name] && sort.has(name)) address.searchParams.set(name, sort.get(name));
  }
  if (sort.get("reverse") && sort.get("sort") === address.searchParams.get("sort")) address.searchParams.set("reverse", "1");
  if (address.searchParams.get("sort") === "worst") address.searchParams.delete("sort");
  return address.href;
}

let typing;
document.addEventListener("input", (event) => {
  const form = event.target.closest("form[data-live]");
  if (!form) return;
  clearTimeout(typing);
  typing = setTimeout(() => {
    const address = addressOf(form);
    history.replaceState(null, "", address);
    show(address, false);
  }, event.target.type === "search" ? 150 : 0);
});
document.addEventListener("submit", (event) => {
  if (!event.target.matches("form[data-live]")) return;
  event.preventDefault();
  clearTimeout(typing);
  go(addressOf(event.target));
});
window.addEventListener("popstate", () => show(location.href, false));

document.addEventListener("keydown", (event) => {
  const writing = event.target.matches("input, select, textarea");
  if (event.key === "Escape" && writing) event.target.blur();
  if (writing || event.ctrlKey || event.metaKey || event.altKey) return;
  const rows = [...document.querySelectorAll("a[data-row]")];
  const step = { j: 1, k: -1 }[event.key];
  if (step && rows.length) {
    const place = rows.indexOf(document.activeElement);
    const next = place < 0 ? (step > 0 ? 0 : rows.length - 1) : place + step;
    rows[Math.min(Math.max(next, 0), rows.length - 1)].focus();
  } else if (event.key === "/") {
    const field = document.querySelector("input[type=search]");
    if (field) {
      event.preventDefault();
      field.focus();
      field.select();
    }
  } else if (event.key === "g") {
    location.assign("/");
  }
});

setInterval(() => {
  tick();
}, 5000);
if (every) {
  setInterval(() => {
    // A page nobody sees, or one whose text is being marked, waits.
    if (!document.hidden && !String(getSelection())) show(location.href, true);
  }, every);
}
setClock();
tick();
