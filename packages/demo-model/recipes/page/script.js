function start() {
  find("greeting").textContent = "Hello."
}

function find(id) {
  return document.getElementById(id)
}

if (typeof document !== "undefined") start()
