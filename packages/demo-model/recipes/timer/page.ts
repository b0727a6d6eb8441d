import { find, messageOf } from "../page/elements.ts"
import { parseTime, toClock } from "./timer.ts"

function start() {
  const input = find<HTMLInputElement>("time")
  const toggle = find("toggle")
  const message = find("message")
  let left = 0
  /** The time when a running timer ends. Pages in the background tick late, so counting ticks would be wrong. */
  let endsAt: number | undefined

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
      left = parseTime(input.value)
      message.textContent = ""
    } catch (error) {
      left = 0
      message.textContent = messageOf(error)
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

if (typeof document !== "undefined") start()
