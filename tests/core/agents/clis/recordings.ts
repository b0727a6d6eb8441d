import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { AgentTask } from "@switchyard/core/agents/clis/cli"
import { clis } from "@switchyard/core/agents/clis/clis"
import type { AgentEvent, Protocol } from "@switchyard/core/agents/clis/protocol"
import type { Outcome } from "@switchyard/core/agents/clis/schema"
import { acp } from "@switchyard/core/agents/protocols/acp"
import { appServer } from "@switchyard/core/agents/protocols/app-server"
import { codexExec } from "@switchyard/core/agents/protocols/codex-exec"
import { turnOutcome } from "@switchyard/core/agents/protocols/outcome"
import { protocols } from "@switchyard/core/agents/protocols/protocols"

/** Recorded output of a real CLI. A new version or a new kind of failure gets its own folder. */
export interface Recording {
  name: string
  folder: string
  stdout: Buffer
  stderr: string
  run: { exit: number | null; signal: string | null; resume?: string }
}

export interface Heard {
  events: AgentEvent[]
  sent: string[]
  outcome: Outcome
}

const root = join(import.meta.dirname, "../../../fixtures/cli")

export const recordings: Recording[] = readdirSync(root).flatMap((cli) =>
  readdirSync(join(root, cli)).map((name) => {
    const folder = join(root, cli, name)
    const read = (file: string) => (existsSync(join(folder, file)) ? readFileSync(join(folder, file)) : Buffer.alloc(0))
    const run = JSON.parse(read("run.json").toString())
    return { name: `${cli}/${name}`, folder, stdout: read("stdout.ndjson"), stderr: read("stderr.txt").toString(), run }
  }),
)

/** Feeds the output, in pieces, to the CLI's protocol, and allows every permission request. */
export function listen(recording: Recording, pieces: Uint8Array[]): Heard {
  const dialogue = dialogueOf(recording)
  const allowed = ({ events, send }: ReturnType<Protocol["parse"]>) => {
    const answers = events.map((event) =>
      event.type === "permission_asked" ? (dialogue.encodeDecision?.(event.id, { effect: "allow" }) ?? "") : "",
    )
    return { events, send: [send, ...answers].join("") }
  }
  const heard = [...pieces.map((piece) => allowed(dialogue.parse(piece))), dialogue.flush()]
  const events = heard.flatMap((one) => one.events)
  const end = events.findLast((event) => event.type === "turn_completed" || event.type === "turn_failed")
  const last = events.findLast(({ type }) => type !== "usage" && type !== "context" && type !== "quota")
  const outcome = turnOutcome({
    end,
    retrying: last?.type === "retrying" ? last.problem : undefined,
    stopped: undefined,
    exitCode: recording.run.exit,
    signal: recording.run.signal ? 15 : null,
    stderr: recording.stderr,
    summarised: true,
  })
  const sent = [dialogue.open(), ...heard.map((one) => one.send)].join("").split("\n").filter(Boolean)
  return { events, sent, outcome }
}

function dialogueOf({ name, run }: Recording): Protocol {
  const task: AgentTask = {
    prompt: "Create a file hello.txt with a greeting.",
    root: "/project",
    cwd: "/project",
    home: "/home/agent",
    model: null,
    reasoning: null,
    resume: run.resume ?? null,
  }
  const account = { apiKey: "key", baseUrl: null }
  if (name.startsWith("codex/")) return name.includes("appserver") ? appServer(task) : codexExec(task)
  if (/^(claudeacp|codexacp)/.test(name)) return acp(task)
  const cli = name.split("/")[0] as keyof typeof clis
  return clis[cli].plan(task, account, protocols).protocol
}
