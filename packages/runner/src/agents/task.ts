import type { AgentAccount, AgentTask, AgentTools, CliCommand, LaunchPlan } from "@switchyard/core/agents/clis/cli"
import { clis } from "@switchyard/core/agents/clis/clis"
import type { Outcome } from "@switchyard/core/agents/clis/schema"
import {
  type AnsweredQuestion,
  answeredPrompt,
  answerPrompt,
  circlePrompt,
  codingPrompt,
  continuationPrompt,
  followUpPrompt,
  handOffPrompt,
  interruptedPrompt,
  type ProjectNotes,
} from "@switchyard/core/agents/conversations/prompt"
import type { AgentInput, Summary } from "@switchyard/core/agents/conversations/schema"
import { startMode } from "@switchyard/core/agents/permissions/decide"
import type { NewEvent } from "@switchyard/core/events"
import { ownFiles } from "../files/files.ts"
import { resolvePaths } from "../files/resolve-paths.ts"
import type { Gateway } from "../gateway/gateway.ts"
import type { TaskNetwork } from "../network/task-network.ts"
import type { Located } from "../programs/locate.ts"
import { type ProgramUnavailable, type ResolveDeps, resolveProgram } from "../programs/resolve-program.ts"
import { type HomeFile, makeHome, writeHome } from "../sandbox/agent-home.ts"
import { confineProgram } from "../sandbox/confine-program.ts"
import type { Confinement } from "../sandbox/confinement.ts"
import type { WorktreeUser } from "../sandbox/sandbox.ts"
import { agentEnvironment } from "./agent-environment.ts"
import type { AgentMessage } from "./attachments.ts"
import { createCircleStop } from "./circle-stop.ts"
import { runTuiSession } from "./tui-session.ts"
import { type EndOfTurn, runTurn, type TurnDeps } from "./turn.ts"

export interface TaskDeps extends TurnDeps, ResolveDeps {
  /** The runner's own environment, of which an agent gets only a few variables. */
  host: Record<string, string | undefined>
  /** Folders to search for agents' programs, before the path. */
  programs: string[]
  /** Holds pipes and recordings; the agent has its own temporary folder in its home. */
  folder: string
  /** The user of the agent's programs, if not the runner's own. */
  user?: WorktreeUser | undefined
  /** Confines the agent's programs to some of the machine's files. */
  confinement?: Confinement
}

export interface Task {
  input: AgentInput
  /** The project's folder, absolute. */
  cwd: string
  /** The account's home, absolute. */
  home: string
  /** The folder of the repository that its worktrees share, absolute, if the project has one. */
  gitFolder?: string
  account: AgentAccount
  /** Stands between the agent and its model, where there is one. */
  gateway?: Gateway
  /** The way to the hosts that it may reach, where it has a network of its own. */
  network?: TaskNetwork | undefined
  /** Its tools to reach other agents, if it has any. */
  tools?: AgentTools
  notes: ProjectNotes
  /** Of its worktree, for its programs. */
  variables?: Record<string, string>
  /** Folders outside the worktree that its programs read. */
  needs?: string[]
  /** The agent's own session to resume, and whether there was a task in this project before. */
  resume: string | null
  followUp: boolean
  /** Whether this very task was started before, by a runner that is gone. */
  interrupted: boolean
  /** The answer for which it was parked, if it was. */
  answered?: AnsweredQuestion | undefined
  /** The faults that were found in the work on this task, in words for whoever mends them. */
  revision?: string | undefined
  /** The work of another agent on this task before it met a limit; absent for an agent that knows it from its own session. */
  handedOver?: string | undefined
}

export interface TaskEnd {
  outcome: Outcome
  summary: Summary | undefined
  nativeSession: string | null
  /** The question that it waits for, ended until somebody answers; undefined for a task that is over. */
  parkedFor?: string
}

/** Limit of continuations for an agent that ends its turn without a summary. */
const MAX_CONTINUATIONS = 3
/** Limit of new starts for an agent that goes in circles. */
const MAX_CIRCLES = 2

/**
 * Runs a whole task: turns until the agent is done, fails, or has had enough continuations. Messages that no turn has taken
 * start a turn of their own. The outcome is that of the last turn; everything is in the log.
 */
export async function runTask(deps: TaskDeps, task: Task, { signal }: { signal: AbortSignal }): Promise<TaskEnd> {
  let resume = task.resume
  let prompt = firstPrompt(task, resume)
  let fallback = false
  let circles = 0
  let summary: Summary | undefined
  const turns = numberTurns(deps)
  await turns.begin(firstWords(task, prompt))
  for (let attempt = 1; ; ) {
    const circle = createCircleStop(deps.limits)
    const append = async (events: NewEvent[]) => {
      await turns.append(events)
      circle.see(events)
    }
    const watched = { ...deps, append, limits: circle.limits }
    const end = await turn(watched, task, { prompt, resume, attempt, fallback }, signal)
    const { outcome, nativeSession } = end
    summary = end.summary ?? summary
    if (end.parkedFor !== undefined && !signal.aborted) {
      return { outcome, summary, nativeSession: nativeSession ?? resume, parkedFor: end.parkedFor }
    }
    const isDone = outcome.type === "completed" || outcome.type === "needs_continuation"
    const canHear = isDone && !end.takenOver && !signal.aborted
    const unheard = canHear ? deps.attachments.takeUndelivered() : []
    if (unheard.length > 0) {
      attempt = 1
      resume = nativeSession ?? resume
      prompt = messagesPrompt(task, unheard, resume !== null)
      await turns.begin(unheard.map(({ content, source }) => ({ type: "user_message", content, source })))
    } else if (end.takenOver && nativeSession !== null && !signal.aborted) {
      await withPerson(deps, task, nativeSession, signal)
      resume = nativeSession
      prompt = continuationPrompt(task.input.task, "", true)
      await turns.begin([{ type: "user_message", content: prompt, source: "continuation" }])
    } else if (
      outcome.type === "needs_continuation" &&
      !isAnswer(task) &&
      attempt <= MAX_CONTINUATIONS &&
      !signal.aborted
    ) {
      attempt++
      resume = nativeSession
      prompt = continuationPrompt(task.input.task, end.lastMessage, resume !== null)
      await turns.begin([{ type: "user_message", content: prompt, source: "continuation" }])
    } else if (isCircle(outcome) && circles < MAX_CIRCLES && !isAnswer(task) && !signal.aborted) {
      // Told once; then without the memory that leads it there.
      circles++
      resume = circles === 1 ? (nativeSession ?? resume) : null
      prompt = circlePrompt(task.input.task, outcome.message, task.notes, { fresh: resume === null })
      await turns.begin([{ type: "user_message", content: prompt, source: "continuation" }])
    } else if (outcome.type === "failed" && outcome.problem === "session_not_found" && resume !== null) {
      // The agent's own session is gone, as after a move to another host: the project has all that is needed.
      resume = null
      prompt = isAnswer(task)
        ? answerPrompt(task.input.task, task.notes, false)
        : [codingPrompt(task.input.task, task.notes), task.revision].filter(Boolean).join("\n")
    } else if (!fallback && !end.spoke && outcome.type === "failed" && hasFallback(task) && !signal.aborted) {
      fallback = true
    } else {
      if (summary && outcome.type === "completed") await appendMilestone(deps, summary)
      return { outcome, summary, nativeSession: nativeSession ?? resume }
    }
  }
}

function isCircle(outcome: Outcome): outcome is Extract<Outcome, { type: "failed" }> {
  return outcome.type === "failed" && outcome.problem === "repeating"
}

/** Gives every event of a turn its id, from the message that begins it. */
function numberTurns({ append, newId }: Pick<TaskDeps, "append" | "newId">) {
  let turn_id = ""
  const inTurn = (events: NewEvent[]) => append(events.map((event) => ({ turn_id, ...event })))
  return {
    append: inTurn,
    begin(messages: NewEvent[]): Promise<void> {
      turn_id = newId("trn")
      return inTurn(messages)
    },
  }
}

/** Whether it is a turn of a conversation: that has no task which must be finished, so it ends when the agent stops. */
export function isAnswer({ input }: Pick<Task, "input">): boolean {
  return input.messages !== undefined
}

/** The log's words for what the agent is told first. Messages were logged when they became its turn. */
function firstWords(task: Task, prompt: string): NewEvent[] {
  if (task.interrupted || task.handedOver !== undefined || task.revision !== undefined)
    return [{ type: "user_message", content: prompt, source: "continuation" }]
  return isAnswer(task) ? [] : [{ type: "user_message", content: task.input.task, source: "task" }]
}

function firstPrompt(task: Task, resume: string | null): string {
  const { revision, interrupted, answered, handedOver } = task
  if (revision === undefined) return taskPrompt(task, resume)
  const knowsTask = resume !== null && !interrupted && answered === undefined && handedOver === undefined
  return knowsTask ? revision : `${taskPrompt(task, resume)}\n${revision}`
}

function taskPrompt(task: Task, resume: string | null): string {
  const { input, notes, followUp, interrupted, answered, handedOver } = task
  if (handedOver !== undefined) {
    return handOffPrompt(input.task, handedOver, notes, { isConversation: isAnswer(task) })
  }
  if (answered) {
    return answeredPrompt(input.task, answered, { resumed: resume !== null, isConversation: isAnswer(task) })
  }
  if (interrupted) return interruptedPrompt(input.task, isAnswer(task))
  if (input.prompt !== undefined) return input.prompt
  if (isAnswer(task)) return answerPrompt(input.task, notes, resume !== null)
  return followUp ? followUpPrompt(input.task, notes, resume !== null) : codingPrompt(input.task, notes)
}

function messagesPrompt({ input, notes }: Task, messages: AgentMessage[], resumed: boolean): string {
  const said = messages.map(({ content }) => content).join("\n\n")
  return followUpPrompt(resumed ? said : `${input.task}\n\n${said}`, notes, resumed)
}

function hasFallback({ input }: Task): boolean {
  return "fallback" in clis[input.cli]
}

async function turn(
  deps: TaskDeps,
  task: Task,
  { prompt, resume, attempt, fallback }: { prompt: string; resume: string | null; attempt: number; fallback: boolean },
  signal: AbortSignal,
): Promise<EndOfTurn> {
  const { input, cwd, home, account, gateway, tools } = task
  const { model, reasoning, terminal } = input
  const mode = startMode(deps.decisions.policy)
  const drive = driveOf(input, { prompt, cwd, home, model, reasoning, resume, mode, tools }, account, fallback)
  const env = await prepareProgram(deps, task, drive.command)
  const { title } = clis[input.cli]
  const wanted = { cli: input.cli, file: drive.command.file, path: env.PATH ?? "" }
  const found = await resolveProgram(deps, wanted, { signal })
  if ("outcome" in found) return unavailableTurn(found)
  const program = await confined(deps, task, found, env)
  const { folder, user } = deps
  const files = user?.files ?? ownFiles
  return runTurn(
    deps,
    {
      ...{ cli: input.cli, title, model, drive, program, cwd, env, folder, user, attempt, gateway, ...terminal },
      files,
      resolvePaths: (paths) => resolvePaths(files, cwd, paths),
    },
    { signal },
  )
}

/** Lets a person work with the agent in its own screen, until they leave it or hand back. */
async function withPerson(deps: TaskDeps, task: Task, resume: string, signal: AbortSignal): Promise<void> {
  const { input, cwd, home, account, tools } = task
  const { model, reasoning, terminal } = input
  const mode = startMode(deps.decisions.policy)
  const command = clis[input.cli].tui({ prompt: "", cwd, home, model, reasoning, resume, mode, tools }, account)
  const env = await prepareProgram(deps, task, command)
  const found = await resolveProgram(deps, { cli: input.cli, file: command.file, path: env.PATH ?? "" }, { signal })
  const { title } = clis[input.cli]
  if ("outcome" in found) return
  const program = await confined(deps, task, found, env)
  const { folder, user } = deps
  await runTuiSession(deps, { title, command, program, cwd, env, folder, user, ...terminal }, { signal })
}

/** Makes the home of a user, or of the runner's own, and writes these files to it. */
export async function prepareHome(user: WorktreeUser | undefined, home: string, files: HomeFile[]): Promise<void> {
  await (user?.prepareHome ?? makeHome)(home)
  await writeHome(user?.files ?? ownFiles, home, files)
}

/** Prepares the home, and resolves to the environment of its programs. */
async function prepareProgram(
  deps: TaskDeps,
  { home, gateway, network, tools, variables }: Task,
  { homeFiles }: CliCommand,
) {
  await prepareHome(deps.user, home, [...homeFiles, { path: ".tmp/.keep", content: "" }])
  const own = agentEnvironment(deps.host, { home, temporary: `${home}/.tmp`, programs: deps.programs })
  const env = { ...own, ...variables }
  if (network) return { ...env, ...network.env }
  return gateway || tools ? { ...env, ...withoutProxy(env) } : env
}

/** The command that runs the program with the files of its task alone, where that is wanted. */
async function confined(
  { confinement, user }: TaskDeps,
  { cwd, home, gitFolder, needs, network }: Task,
  program: Located,
  env: Record<string, string>,
): Promise<Located> {
  if (!confinement) return program
  const writable = [cwd, home, ...(gitFolder === undefined ? [] : [gitFolder])]
  const place = { cwd, writable, path: env.PATH ?? "", needs, ...(network && { network }) }
  return confineProgram({ confinement, user }, program, place)
}

/** Excludes the gateway and the tools from the machine's proxy, which could not reach them. */
function withoutProxy({ NO_PROXY, no_proxy }: Record<string, string>): Record<string, string> {
  const names = [NO_PROXY ?? no_proxy, "127.0.0.1"].filter(Boolean).join(",")
  return { NO_PROXY: names, no_proxy: names }
}

function driveOf(input: AgentInput, task: AgentTask, account: AgentAccount, fallback: boolean): LaunchPlan {
  const cli = clis[input.cli]
  const other = fallback && "fallback" in cli ? cli.fallback?.(task, account) : undefined
  return other ?? cli.plan(task, account)
}

function unavailableTurn({ outcome }: ProgramUnavailable): EndOfTurn {
  const end = { summary: undefined, nativeSession: null, lastMessage: "", spoke: true, takenOver: false }
  return { outcome, ...end, parkedFor: undefined }
}

async function appendMilestone(deps: TaskDeps, summary: Summary): Promise<void> {
  const { change_summary, ...details } = summary
  await deps.append([
    { type: "milestone", milestone_type: "coding_complete", title: "Done", summary: change_summary, details },
  ])
}
