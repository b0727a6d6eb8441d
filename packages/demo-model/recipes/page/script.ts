function start() {
  find("greeting").textContent = "Hello."
}

function find<T extends HTMLElement>(id: string) {
  return document.getElementById(id) as T
}

if (typeof document !== "undefined") start()
