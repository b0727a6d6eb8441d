import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Readable } from "node:stream"
import { createLineSplitter } from "@switchyard/core/agents/protocols/line-splitter"
import { ModelError } from "@switchyard/core/models/errors"
import { readWrittenAnswer } from "@switchyard/core/models/programs/answer"
import { programPrompt } from "@switchyard/core/models/programs/prompt"
import type { ModelEvent, ModelProvider, ModelRequest, StreamOptions } from "@switchyard/core/models/provider"
import type { Programs } from "../../programs.ts"
import { readOutput } from "./output.ts"
import { explainExit, notInstalled } from "./problems.ts"
import { type Started, startProgram } from "./start-program.ts"

/**
 * Maximum time without output before a call fails. A long answer begins with a long silence, because thinking isn't
 * always reported.
 */
const IDLE_MS = 600_000

/**
 * Creates the provider for models of Claude Code. Each call runs the installed program once, with the program's own
 * login. The program has no tools, no settings, no MCP servers, and an empty folder, so a prompt can't make it act. It
 * exits before the stream ends.
 */
export function createClaudeCodeModel({ locate, env }: Programs, { idleMs = IDLE_MS } = {}): ModelProvider {
  return {
    name: "claude-code",
    async *stream(request, options) {
      options.signal.throwIfAborted()
      const file = locate("claude")
      if (file === undefined) throw notInstalled()
      const folder = await mkdtemp(join(tmpdir(), "switchyard-claude-"))
      try {
        yield* runIn(folder, { file, env, idleMs }, request, options)
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },
  }
}

interface Run {
  file: string
  env: Record<string, string>
  idleMs: number
}

async function* runIn(
  folder: string,
  { file, env, idleMs }: Run,
  request: ModelRequest,
  options: StreamOptions,
): AsyncGenerator<ModelEvent> {
  const { system, content } = programPrompt(request)
  const workdir = join(folder, "empty")
  // Pass the system prompt in a file, because arguments are limited in size and visible to other users.
  const systemFile = join(folder, "system.txt")
  await writeFile(systemFile, system || " ", { mode: 0o600 })
  const program = await startProgram(file, argumentsFor(request.model, systemFile), {
    cwd: workdir,
    env: { ...env, ...QUIET },
  })
  try {
    program.send(`${JSON.stringify({ type: "user", message: { role: "user", content } })}\n`)
    yield* answerOf(program, { idleMs, hasTools: (request.tools ?? []).length > 0 }, options)
  } finally {
    await program.kill()
  }
}

/**
 * Arguments for a single answer. A version that doesn't know one of these options refuses to start, so the program
 * never runs with less protection. `--restricted` also keeps the program from reading files that a prompt mentions as
 * `@path`.
 */
function argumentsFor(model: string, systemFile: string): string[] {
  return [
    ...["-p", "--verbose", "--input-format", "stream-json", "--output-format", "stream-json"],
    ...["--include-partial-messages", `--model=${model}`, "--system-prompt-file", systemFile],
    ...["--tools", "", "--restricted", "--setting-sources", "", "--strict-mcp-config"],
    ...["--disable-slash-commands", "--no-session-persistence"],
  ]
}

const QUIET = {
  CLAUDE_CODE_DISABLE_ATTACHMENTS: "1",
  CLAUDE_CODE_DISABLE_FILE_MENTIONS: "1",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  // Failed calls are retried by the run, which shows each retry.
  CLAUDE_CODE_MAX_RETRIES: "1",
  DISABLE_AUTOUPDATER: "1",
  DISABLE_TELEMETRY: "1",
  DISABLE_ERROR_REPORTING: "1",
}

async function* answerOf(
  program: Started,
  { idleMs, hasTools }: { idleMs: number; hasTools: boolean },
  { signal, onAccepted }: StreamOptions,
): AsyncGenerator<ModelEvent> {
  const output = readOutput()
  const answer = readWrittenAnswer({ hasTools })
  for await (const line of linesOf(program, { idleMs, signal })) {
    for (const event of output.read(line)) {
      if (event.type === "accepted") onAccepted?.()
      else if (event.type === "text") yield* answer.push(event.text)
      else if (event.type === "thinking") yield { type: "reasoning_delta", chars: event.chars }
      else {
        if (event.stop === "failed") throw event.error
        const { events, calls } = answer.end({ isCut: event.stop === "max_tokens" })
        yield* events
        yield { type: "usage", usage: event.usage, costUsd: event.costUsd }
        yield { type: "end", stopReason: event.stop === "end" && calls > 0 ? "tool_calls" : event.stop }
        return
      }
    }
  }
  throw explainExit(await program.exited, output.retrying())
}

/**
 * Yields the lines of a program's output. Throws if the program prints nothing for too long, or if the signal aborts.
 */
async function* linesOf(
  { stdout, kill }: { stdout: Readable; kill(): Promise<void> },
  { idleMs, signal }: { idleMs: number; signal: AbortSignal },
): AsyncGenerator<string> {
  const lines = createLineSplitter()
  let isSilent = false
  const timer = setTimeout(() => {
    isSilent = true
    void kill()
  }, idleMs)
  const abort = () => void kill()
  signal.addEventListener("abort", abort, { once: true })
  try {
    for await (const bytes of stdout as AsyncIterable<Buffer>) {
      timer.refresh()
      yield* lines.push(bytes)
    }
    yield* lines.end()
  } finally {
    clearTimeout(timer)
    signal.removeEventListener("abort", abort)
    signal.throwIfAborted()
  }
  if (isSilent) throw new ModelError("connection_error", `Claude Code was silent for ${idleMs / 1000} s.`)
}
