import { styleText } from "node:util"
import type { Line } from "./render.ts"
import { clip, jsonLine, sanitizeLine } from "./sanitize.ts"

/** Output of a command. All text is sanitized before it is written. */
export interface Terminal {
  /** True if the status line can be redrawn. If not, progress is written line by line. */
  readonly live: boolean
  readonly json: boolean
  line(line: Line): void
  /** Writes a line of the result. */
  print(text: string): void
  /** Writes a part of a longer text, without a status line below it. A secret must not be split between two parts. */
  text(piece: string): void
  /** Writes a result: its value as JSON with `--json`, or its lines otherwise. */
  show(value: unknown, ...lines: string[]): void
  /** Writes a value as one line of JSON, whether or not `--json` was given. */
  printJson(value: unknown): void
  /** Sets the status line below all other lines. Removes it if the text is undefined. */
  status(text: string | undefined): void
  /** Writes a notice to stderr. Notices aren't part of the command's output. */
  notice(text: string): void
}

interface TerminalDeps {
  stdout: NodeJS.WriteStream
  stderr: NodeJS.WriteStream
  env: Record<string, string | undefined>
  json: boolean
  /** Secrets that are redacted in all output. */
  secrets: string[]
}

const TONES = { plain: [], quiet: ["dim"], good: ["green"], bad: ["red"] } as const

export function createTerminal({ stdout, stderr, env, json, secrets }: TerminalDeps): Terminal {
  const live = Boolean(stdout.isTTY) && !json && env.TERM !== "dumb"
  const colored = wantsColor(env, Boolean(stdout.isTTY))
  const hidden = secrets.filter((secret) => secret.length >= 8)
  const redact = (text: string) => hidden.reduce((rest, secret) => rest.replaceAll(secret, "***"), text)
  const safe = (text: string) => sanitizeLine(redact(text))
  let shown: string | undefined

  /** Writes a line above the status line. */
  function write(stream: NodeJS.WriteStream, text: string) {
    if (shown === undefined) return stream.write(`${text}\n`)
    stdout.write("\r\x1b[K")
    stream.write(`${text}\n`)
    stdout.write(shown)
  }

  const print = (text: string) => write(stdout, safe(text))
  const printJson = (value: unknown) => write(stdout, redact(jsonLine(value)))

  return {
    live,
    json,
    print,
    printJson,
    show(value, ...lines) {
      if (json) printJson(value)
      else for (const line of lines) print(line)
    },
    text: (piece) => void stdout.write(redact(piece).replaceAll("\t", "    ").split("\n").map(sanitizeLine).join("\n")),
    notice: (text) => write(stderr, safe(text)),

    line({ who, text, tone }) {
      const label = safe(who).padEnd(10)
      const said = safe(text)
      if (!colored) return write(stdout, `${label} ${said}`)
      write(stdout, `${paint(["bold"], label)} ${paint(TONES[tone], said)}`)
    },

    status(text) {
      if (!live) return
      const next = text === undefined ? undefined : clip(safe(text), (stdout.columns || 80) - 1)
      if (next === shown) return
      shown = next
      stdout.write(`\r\x1b[K${shown ?? ""}`)
    },
  }
}

/** Returns true if output should be coloured. `FORCE_COLOR` takes precedence over `NO_COLOR`, as in Node itself. */
export function wantsColor(env: Record<string, string | undefined>, isTty: boolean): boolean {
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== "0" && env.FORCE_COLOR !== "false"
  if (env.NO_COLOR) return false
  return isTty && env.TERM !== "dumb"
}

function paint(styles: readonly ("bold" | "dim" | "green" | "red")[], text: string): string {
  return styleText([...styles], text, { validateStream: false })
}
