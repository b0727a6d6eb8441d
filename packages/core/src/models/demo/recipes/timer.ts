import type { Project } from "../project.ts"
import { html, source } from "../source.ts"
import { toolRecipe } from "../tools/recipe.ts"

const pageStart = source`
  function start() {
    const input = find‹<HTMLInputElement>›("time")
    const toggle = find("toggle")
    const message = find("message")
    let left = 0
    /** When a running timer ends. A page in the background ticks late, so ticks are not counted. */
    let endsAt‹: number | undefined›

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
`

const countdown = source`
  import { setTimeout as wait } from "node:timers/promises"
  import { parseTime, toClock } from "./timer.ts"

  process.exitCode = await main(process.argv.slice(2).join(" "))

  async function main(time‹: string›)‹: Promise<number>› {
    if (time === "" || time === "--help") {
      console.log("Usage: node cli.ts <time>, such as 25m, 90s or 1h 30m")
      return time === "" ? 2 : 0
    }
    try {
      await countDown(parseTime(time))
      return 0
    } catch (error) {
      console.error(error instanceof Error ? error.message : error)
      return 1
    }
  }

  /** Waits for points in time instead of seconds, so that small delays do not add up. */
  async function countDown(seconds‹: number›) {
    const endsAt = Date.now() + seconds * 1000
    for (let left = seconds; left > 0; left -= 1) {
      show(toClock(left))
      await wait(endsAt - (left - 1) * 1000 - Date.now())
    }
    show("Time is up.")
  }

  /** On a terminal each second is written over the one before. */
  function show(text‹: string›) {
    process.stdout.write(process.stdout.isTTY && text !== "Time is up." ? \`\${text.padEnd(12)}\r\` : \`\${text}\n\`)
  }
`

const countdownTest = source`
  import assert from "node:assert/strict"
  import { spawnSync } from "node:child_process"
  import { test } from "node:test"
  import { fileURLToPath } from "node:url"

  const cli = fileURLToPath(new URL("./cli.ts", import.meta.url))

  function run(...args‹: string[]›) {
    return spawnSync(process.execPath, [cli, ...args], { encoding: "utf8" })
  }

  test("counts down to the end", () => {
    const { status, stdout } = run("1s")
    assert.equal(status, 0)
    assert.equal(stdout, "0:01\nTime is up.\n")
  })

  test("says what is wrong", () => {
    assert.equal(run("soon").status, 1)
    assert.match(run("soon").stderr, /Write a time/)
  })

  test("shows its usage without a time", () => {
    assert.equal(run().status, 2)
    assert.match(run().stdout, /Usage/)
  })
`

const pythonCountdown = source`
  """Counts a time down."""

  import sys
  import time

  from timer import parse_time, to_clock


  def main(args=None):
      text = " ".join(sys.argv[1:] if args is None else args)
      if text in ("", "--help"):
          print("Usage: python3 cli.py <time>, such as 25m, 90s or 1h 30m")
          return 2 if text == "" else 0
      try:
          count_down(parse_time(text))
      except ValueError as error:
          print(error, file=sys.stderr)
          return 1
      return 0


  def count_down(seconds):
      """Waits for points in time instead of seconds, so that small delays do not add up."""
      ends_at = time.monotonic() + seconds
      live = sys.stdout.isatty()  # where each second is written over the one before
      for left in range(seconds, 0, -1):
          print(to_clock(left).ljust(12) if live else to_clock(left), end="\r" if live else "\n", flush=True)
          time.sleep(max(0, ends_at - (left - 1) - time.monotonic()))
      print("Time is up.")


  if __name__ == "__main__":
      sys.exit(main())
`

const pythonCountdownTest = source`
  import subprocess
  import sys
  import unittest
  from pathlib import Path


  class CliTest(unittest.TestCase):
      def run_cli(self, *args):
          cli = Path(__file__).with_name("cli.py")
          return subprocess.run([sys.executable, cli, *args], capture_output=True, text=True)

      def test_counts_down_to_the_end(self):
          done = self.run_cli("1s")
          self.assertEqual(done.returncode, 0)
          self.assertEqual(done.stdout, "0:01\nTime is up.\n")

      def test_says_what_is_wrong(self):
          done = self.run_cli("soon")
          self.assertEqual(done.returncode, 1)
          self.assertIn("Write a time", done.stderr)

      def test_shows_its_usage_without_a_time(self):
          done = self.run_cli()
          self.assertEqual(done.returncode, 2)
          self.assertIn("Usage", done.stdout)


  if __name__ == "__main__":
      unittest.main()
`

export const timer = toolRecipe({
  title: "Timer",
  words: /\b(timers?|countdowns?|stopwatch|pomodoro)\b/i,
  kind: "page",
  summary: "Understands times such as “25m” or “1h 30m”, and counts them down.",
  features: ["Reads hours, minutes and seconds as people write them", "Shows the time left as a clock"],
  module: "timer",
  call: { script: "readTimer", python: "read_timer" },
  input: { name: "time", label: "How long", rows: 1 },
  route: "read",
  shows: "table",
  example: { input: "1h 30m", result: { seconds: 5400, clock: "1:30:00" } },
  refuses: "soon",
  script: {
    exports: ["parseTime", "readTimer", "toClock"],
    module: source`
      /** The seconds in a time such as "1h 30m", "90s" or "2:30". A number alone means minutes. */
      export function parseTime(time‹: string›)‹: number› {
        const clock = time.match(/^\s*(?:(\d+):)?(\d{1,2}):(\d{2})\s*$/)
        const units = time.match(/^\s*(?:(\d+)\s*h)?\s*(?:(\d+)\s*m(?:in)?)?\s*(?:(\d+)\s*s)?\s*$/i)
        const minutes = time.match(/^()\s*(\d+)\s*$/)
        const [, hours, mins, secs] = clock ?? minutes ?? units ?? []
        const seconds = Number(hours ?? 0) * 3600 + Number(mins ?? 0) * 60 + Number(secs ?? 0)
        if (seconds <= 0 || seconds > 86_400) throw new Error('Write a time up to a day, such as "25m" or "1h 30m".')
        return seconds
      }

      /** 5400 seconds are "1:30:00" on a clock, 65 are "1:05". */
      export function toClock(seconds‹: number›)‹: string› {
        const hours = Math.floor(seconds / 3600)
        const minutes = Math.floor(seconds / 60) % 60
        const parts = hours > 0 ? [hours, twoDigits(minutes)] : [minutes]
        return [...parts, twoDigits(seconds % 60)].join(":")
      }

      export function readTimer(time‹: string›) {
        const seconds = parseTime(time)
        return { seconds, clock: toClock(seconds) }
      }

      function twoDigits(value‹: number›)‹: string› {
        return String(value).padStart(2, "0")
      }
    `,
    tests: source`
      test("reads times as people write them", () => {
        assert.equal(parseTime("1h 30m"), 5400)
        assert.equal(parseTime("90s"), 90)
        assert.equal(parseTime("2:30"), 150)
        assert.equal(parseTime("1:00:05"), 3605)
      })

      test("takes a number alone for minutes", () => {
        assert.equal(parseTime("25"), 1500)
      })

      test("shows a clock", () => {
        assert.deepEqual([5, 65, 5400].map(toClock), ["0:05", "1:05", "1:30:00"])
        assert.deepEqual(readTimer("2m"), { seconds: 120, clock: "2:00" })
      })

      test("refuses what is no time", () => {
        for (const time of ["soon", "", "0", "25h", "-5"]) assert.throws(() => parseTime(time), /Write a time/)
      })
    `,
  },
  python: {
    exports: ["parse_time", "read_timer", "to_clock"],
    module: source`
      """Times as people write them, and as a clock shows them."""

      import re

      CLOCK = re.compile(r"(?:(\d+):)?(\d{1,2}):(\d{2})")
      MINUTES = re.compile(r"()(\d+)()")
      UNITS = re.compile(r"(?:(\d+)\s*h)?\s*(?:(\d+)\s*m(?:in)?)?\s*(?:(\d+)\s*s)?", re.IGNORECASE)


      def parse_time(time):
          """The seconds in a time such as "1h 30m", "90s" or "2:30". A number alone means minutes."""
          text = time.strip()
          match = CLOCK.fullmatch(text) or MINUTES.fullmatch(text) or UNITS.fullmatch(text)
          hours, minutes, seconds = (int(part or 0) for part in match.groups()) if match else (0, 0, 0)
          total = hours * 3600 + minutes * 60 + seconds
          if not 0 < total <= 86_400:
              raise ValueError('Write a time up to a day, such as "25m" or "1h 30m".')
          return total


      def to_clock(seconds):
          """Shows 5400 seconds as "1:30:00", and 65 as "1:05"."""
          hours, rest = divmod(seconds, 3600)
          minutes, seconds = divmod(rest, 60)
          return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


      def read_timer(time):
          seconds = parse_time(time)
          return {"seconds": seconds, "clock": to_clock(seconds)}
    `,
    tests: source`
      def test_reads_times_as_people_write_them(self):
          self.assertEqual(parse_time("1h 30m"), 5400)
          self.assertEqual(parse_time("90s"), 90)
          self.assertEqual(parse_time("2:30"), 150)
          self.assertEqual(parse_time("1:00:05"), 3605)

      def test_takes_a_number_alone_for_minutes(self):
          self.assertEqual(parse_time("25"), 1500)

      def test_shows_a_clock(self):
          self.assertEqual([to_clock(seconds) for seconds in [5, 65, 5400]], ["0:05", "1:05", "1:30:00"])
          self.assertEqual(read_timer("2m"), {"seconds": 120, "clock": "2:00"})

      def test_refuses_what_is_no_time(self):
          for time in ["soon", "", "0", "25h", "-5"]:
              with self.assertRaisesRegex(ValueError, "Write a time"):
                  parse_time(time)
    `,
  },
  page: { body: pageBody, start: pageStart },
  cli: { script: countdown, scriptTest: countdownTest, python: pythonCountdown, pythonTest: pythonCountdownTest },
})

function pageBody({ name }: Project): string {
  return source`
    <main>
      <h1>${html(name)}</h1>
      <p class="lead">Type a time such as 25m or 1h 30m, and start.</p>
      <form id="form" class="card">
        <label for="time">How long</label>
        <input id="time" value="25m" autocomplete="off" />
        <output id="clock" class="answer clock" aria-live="off">25:00</output>
        <div class="row">
          <button id="toggle" type="submit" class="main">Start</button>
          <button id="reset" type="button">Reset</button>
        </div>
        <p id="message" class="message" role="status"></p>
      </form>
    </main>
  `
}
