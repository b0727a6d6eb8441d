import type { NewEvent } from "@switchyard/core/events"
import { createWorkspaceStore } from "@switchyard/core/files/workspaces/blob-store"
import { PROCESS_MEMORY_BYTES } from "@switchyard/core/work/gate/schema"
import { programsOf } from "@switchyard/core/work/gate/set-commands"
import type { RunContext, RunWork } from "@switchyard/core/work/runs/run-context"
import type { CommandEnding, ShellCommandInput } from "@switchyard/core/work/shell-commands/schema"
import type { HostSetting } from "../network/agent-hosts.ts"
import { keepFiles } from "./kept-files.ts"
import { missingProgram } from "./missing-program.ts"
import type { CommandEnd } from "./run-command.ts"
import { diskOf, findWorkdir, prepareWorkdirOnce, runInWorkdir, type Workdir, type WorkdirDeps } from "./workdir.ts"

export interface ShellCommandDeps extends WorkdirDeps {
  /** Hosts that a command with network access may reach. Undefined if it uses the machine's network. */
  agentHosts: HostSetting | undefined
}

/** Programs that commands often start indirectly. Commands can use those that exist on this machine. */
const USUAL = ["node", "npm", "npx", "python3", "git", "make"]

/**
 * Returns the function that runs a worker's shell command. Like a check, the command runs on a clean copy of the files,
 * in a temporary home. The command runs at most once: if an executor finds that it was already started, it reports the
 * command as interrupted.
 */
export function createShellCommandRun(deps: ShellCommandDeps): RunWork<ShellCommandInput> {
  return async (context) => {
    const past = await readPast(context)
    if (past === "finished") return
    if (past === "started") {
      await context.write([
        finished(context, { ending: "interrupted", exit_code: null, duration_ms: 0, output: "", files: null }),
      ])
      return
    }
    const { sid, runId, signal, input } = context
    const about = { purpose: "nodes" as const, sid, once: runId }
    const others = [...programsOf(input.command), ...USUAL]
    const workdir = await findWorkdir(deps, about, [{ name: "build", command: input.command, program: "sh", others }])
    if ("missing" in workdir) throw new Error(missingProgram(workdir))
    try {
      await runInCopy(deps, context, workdir, signal)
    } finally {
      await diskOf(workdir).remove(workdir.home)
    }
  }
}

async function runInCopy(
  deps: ShellCommandDeps,
  context: RunContext<ShellCommandInput>,
  workdir: Workdir,
  signal: AbortSignal,
): Promise<void> {
  const { sid, input } = context
  const { command, node_id } = input
  const session = { sid, incarnation: context.state().session.incarnation }
  const store = createWorkspaceStore(deps.blobs, session)
  const before = await store.readManifest(input.files, { signal })
  await context.awaitExternal(() => prepareWorkdirOnce(deps, workdir, session, before, { signal }))
  await context.write([{ type: "shell_command_started", node_id, command }])
  const { network = false } = input
  const limits = { limitMs: input.timeout_seconds * 1000, memoryBytes: PROCESS_MEMORY_BYTES, network, signal }
  const end = await context.awaitExternal(() => {
    return runInWorkdir(
      { ...deps, checkHosts: deps.agentHosts },
      { file: "/bin/sh", args: ["-c", command] },
      workdir,
      limits,
    )
  })
  const ending = endingOf(end)
  const files = ending === "exited" ? await context.awaitExternal(() => keep()) : undefined
  // Remove the path of the clean copy, because it means nothing to readers.
  const refused = end.refused.map(
    (host) => `Access to ${host} was blocked, because it isn't listed in SWITCHYARD_AGENT_HOSTS.\n`,
  )
  const output = [end.output, ...refused].join("").replaceAll(`${workdir.cwd}/`, "").replaceAll(workdir.cwd, ".")
  const shown = { exit_code: end.exitCode, duration_ms: end.durationMs, output, files: files ?? null }
  const isTooMuch = ending === "exited" && files === undefined
  await context.write([finished(context, { ending: isTooMuch ? "too_many_files" : ending, ...shown })])

  function keep(): Promise<string | undefined> {
    return keepFiles({ disk: diskOf(workdir), store }, workdir.cwd, before, { signal })
  }
}

type Finished = Omit<Extract<NewEvent, { type: "shell_command_finished" }>, "type" | "node_id">

function finished({ input }: RunContext<ShellCommandInput>, shown: Finished): NewEvent {
  return { type: "shell_command_finished", node_id: input.node_id, ...shown }
}

function endingOf({ isTooLate, filledDisk }: CommandEnd): CommandEnding {
  if (filledDisk) return "disk_full"
  return isTooLate ? "timed_out" : "exited"
}

async function readPast({ history }: RunContext<ShellCommandInput>): Promise<"started" | "finished" | undefined> {
  let past: "started" | "finished" | undefined
  for await (const event of history()) {
    if (event.type === "shell_command_started") past = "started"
    if (event.type === "shell_command_finished") past = "finished"
  }
  return past
}
