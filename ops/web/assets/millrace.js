"use strict";
// Comforts; every page works without them.

document.documentElement.classList.add("scripts"); // shows what is said of comforts

// "/" jumps to the search box.
document.addEventListener("keydown", (e) => {
  if (e.key !== "/" || e.ctrlKey || e.metaKey || e.altKey) return;
  if (/^(input|textarea|select)$/i.test(e.target.tagName) || e.target.isContentEditable) return;
  const box = document.querySelector(".ask input");
  if (!box) return;
  e.preventDefault();
  box.focus();
  box.select();
});

// While somebody types a query, its box offers what it may become.
for (const box of document.querySelectorAll("input[data-suggest]")) {
  const list = document.createElement("datalist");
  list.id = "suggestions";
  box.after(list);
  box.setAttribute("list", list.id);
  let waiting, asked = "";
  box.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(async () => {
      const typed = box.value;
      if (typed === asked || typed.trim().length < 1) return;
      asked = typed;
      try {
        const answer = await fetch(box.dataset.suggest + "?q=" + encodeURIComponent(typed), { signal: AbortSignal.timeout(3000) });
        if (!answer.ok || box.value !== typed) return;
        const { suggestions } = await answer.json();
        list.replaceChildren(...suggestions.map((s) => Object.assign(document.createElement("option"), { value: s })));
      } catch { /* no suggestions */ }
    }, 150);
  });
}

// What narrows results down stands open where there is room beside them.
const narrow = document.querySelector(".narrow");
if (narrow && matchMedia("(min-width: 82rem)").matches) narrow.open = true;

// The dashboard replaces itself every two seconds while somebody looks, and
// slower while the server does not answer.
const every = 2000, slowest = 30000;
let pause = every;

// renew puts the parts that changed in place of the old. What has the focus keeps it, and a part
// that was scrolled sideways stays so.
function renew(old, now) {
  const places = (root) => [...root.querySelectorAll("a, [tabindex]")];
  const at = places(old).indexOf(document.activeElement);
  const same = old.children.length === now.children.length && old.dataset.refresh === now.dataset.refresh;
  const scrolled = places(old).map((p) => p.scrollLeft);
  if (same) {
    [...now.children].forEach((part, i) => {
      const before = old.children[i];
      if (before.outerHTML !== part.outerHTML) before.replaceWith(part);
    });
  } else {
    old.replaceWith(now);
  }
  const shown = places(same ? old : now);
  shown.forEach((p, i) => { if (scrolled[i]) p.scrollLeft = scrolled[i]; });
  if (at >= 0 && shown[at] && shown[at] !== document.activeElement) shown[at].focus({ preventScroll: true });
}

function busy() {
  const s = window.getSelection();
  return document.hidden || (s && !s.isCollapsed);
}

async function refresh() {
  const live = document.getElementById("live");
  if (!live) return;
  if (!busy()) {
    try {
      const answer = await fetch(live.dataset.refresh, { signal: AbortSignal.timeout(10000) });
      if (!answer.ok) throw new Error(answer.status);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      renew(live, page.getElementById("live"));
      const pulse = document.getElementById("pulse");
      pulse.textContent = "live · " + pulse.textContent;
      pause = every;
    } catch {
      const pulse = document.getElementById("pulse");
      pulse.textContent = "no answer; trying again";
      pulse.className = "lost";
      pause = Math.min(slowest, 2 * pause);
    }
  }
  setTimeout(refresh, pause);
}

if (document.getElementById("live")) setTimeout(refresh, every);
