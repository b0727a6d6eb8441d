import { readTimer, toClock } from "./timer.js"

function start() {
  const input = find("time")
  const toggle = find("toggle")
  const message = find("message")
  let left = 0
  /** The time when a running timer ends. Pages in the background tick late, so counting ticks would be wrong. */
  let endsAt

  function run() {
    endsAt = Date.now() + left * 1000
    message.textContent = "Running."
    show()
  }

  function pause() {
    endsAt = undefined
    message.textContent = left === 0 ? "Time is up." : "Paused."
    show()
  }

  function reset() {
    endsAt = undefined
    try {
      left = readTimer(input.value).seconds
      message.textContent = ""
    } catch (error) {
      left = 0
      message.textContent = error instanceof Error ? error.message : "Something went wrong."
    }
    show()
  }

  function tick() {
    if (endsAt === undefined) return
    left = Math.max(0, Math.ceil((endsAt - Date.now()) / 1000))
    if (left === 0) pause()
    show()
  }

  function show() {
    find("clock").textContent = toClock(left)
    toggle.textContent = endsAt === undefined ? "Start" : "Pause"
  }

  find("form").addEventListener("submit", (event) => {
    event.preventDefault()
    if (endsAt !== undefined) return pause()
    if (left === 0) reset()
    if (left > 0) run()
  })
  find("reset").addEventListener("click", reset)
  input.addEventListener("input", reset)
  setInterval(tick, 200)
  reset()
}

function find(id) {
  return document.getElementById(id)
}

if (typeof document !== "undefined") start()
