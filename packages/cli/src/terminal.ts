import { styleText } from "node:util"
import { clip, jsonLine, plain } from "./plain.ts"
import type { Line } from "./render.ts"

/** Where a command says what it has to say. Whatever it is given, only harmless text comes out. */
export interface Terminal {
  /** Whether the status can be redrawn; otherwise progress is told in lines. */
  readonly live: boolean
  readonly json: boolean
  line(line: Line): void
  /** A line of an answer. */
  print(text: string): void
  /** A value as one line, whatever the mode. */
  printJson(value: unknown): void
  /** What stands below all lines until it is replaced; nothing takes it away. */
  status(text: string | undefined): void
  /** Said aside, on the error stream, so that it is in no one's data. */
  notice(text: string): void
}

interface TerminalDeps {
  stdout: NodeJS.WriteStream
  stderr: NodeJS.WriteStream
  env: Record<string, string | undefined>
  json: boolean
  /** Never shown, whatever it stands in. */
  secrets: string[]
}

const TONES = { plain: [], quiet: ["dim"], good: ["green"], bad: ["red"] } as const

export function createTerminal({ stdout, stderr, env, json, secrets }: TerminalDeps): Terminal {
  const live = Boolean(stdout.isTTY) && !json && env.TERM !== "dumb"
  const colored = wantsColor(env, Boolean(stdout.isTTY))
  const hidden = secrets.filter((secret) => secret.length >= 8)
  const redact = (text: string) => hidden.reduce((rest, secret) => rest.replaceAll(secret, "***"), text)
  const safe = (text: string) => plain(redact(text))
  let shown: string | undefined

  /** Writes above the status. */
  function write(stream: NodeJS.WriteStream, text: string) {
    if (shown === undefined) return stream.write(`${text}\n`)
    stdout.write("\r\x1b[K")
    stream.write(`${text}\n`)
    stdout.write(shown)
  }

  return {
    live,
    json,
    print: (text) => write(stdout, safe(text)),
    printJson: (value) => write(stdout, redact(jsonLine(value))),
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

/** `FORCE_COLOR` outranks `NO_COLOR`, as it does for Node itself. */
export function wantsColor(env: Record<string, string | undefined>, isTty: boolean): boolean {
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== "0" && env.FORCE_COLOR !== "false"
  if (env.NO_COLOR) return false
  return isTty && env.TERM !== "dumb"
}

function paint(styles: readonly ("bold" | "dim" | "green" | "red")[], text: string): string {
  return styleText([...styles], text, { validateStream: false })
}
