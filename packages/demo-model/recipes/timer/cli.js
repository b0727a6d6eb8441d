import { setTimeout as wait } from "node:timers/promises"
import { parseTime, toClock } from "./timer.js"

process.exitCode = await main(process.argv.slice(2).join(" "))

async function main(time) {
  if (time === "" || time === "--help") {
    console.log("Usage: node cli.js <time>, such as 25m, 90s or 1h 30m")
    return 0
  }
  try {
    await countDown(parseTime(time))
    return 0
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return 1
  }
}

/** Waits for points in time rather than for seconds, so that small delays don't add up. */
async function countDown(seconds) {
  const endsAt = Date.now() + seconds * 1000
  for (let left = seconds; left > 0; left -= 1) {
    show(toClock(left))
    await wait(endsAt - (left - 1) * 1000 - Date.now())
  }
  show("Time is up.")
}

/** On a terminal, each second overwrites the one before. */
function show(text) {
  process.stdout.write(process.stdout.isTTY && text !== "Time is up." ? `${text.padEnd(12)}\r` : `${text}\n`)
}
