import * as z from "zod"
import { AgentInput, type AgentProgram } from "../../agents/conversations/schema.ts"
import { LoginInput } from "../../agents/runner/login-schema.ts"
import { ChatInput, FilesTask, ForkInput, PageInput, RewindInput } from "../chat/schema.ts"
import { CheckInput } from "../gate/schema.ts"
import { ShellCommandInput } from "../shell-commands/schema.ts"
import { TeamInput, WorkNodeInput } from "../teams/schema.ts"
import { TrainInput } from "../trains/schema.ts"
import { WorkflowInput } from "../workflow/schema.ts"

export const RunKind = z.enum([
  "workflow",
  "agent",
  "check",
  "chat",
  "train",
  "team",
  "work_node",
  "shell_command",
  "page",
  "rewind",
  "fork",
  "chat_files",
  "login",
])
export type RunKind = z.infer<typeof RunKind>

/** Process that executes a run: a worker that serves only this run, or the session's runner. */
export type Executor = "worker" | "runner"

interface InputOfKind {
  workflow: WorkflowInput
  agent: AgentInput
  check: CheckInput
  chat: ChatInput
  train: TrainInput
  team: TeamInput
  work_node: WorkNodeInput
  shell_command: ShellCommandInput
  page: PageInput
  rewind: RewindInput
  fork: ForkInput
  chat_files: FilesTask
  login: LoginInput
}
export type InputOf<K extends RunKind> = InputOfKind[K]

/** A kind of run with the matching input. */
export type KindAndInput = { [K in RunKind]: { kind: K; input: InputOf<K> } }[RunKind]

interface Traits<Input> {
  executor: Executor
  input: z.ZodType<Input>
  /** Returns the request as its author worded it. */
  wordsOf(input: Input): string
  /** Returns the repository to work in, or undefined if the run uses the session's own workspace. */
  repositoryOf(input: Input): string | undefined
  /** Returns the agent's program with its account, if any. */
  programOf(input: Input): AgentProgram | undefined
  /** Returns true if the run completes only once its work is verified. Absent for kinds that aren't verified. */
  mustVerify?(input: Input): boolean
  /** True if the run only supports other runs. Lists show those other runs instead. */
  isSupporting: boolean
  /** True if a new run can continue from the point at which a failed or cancelled run stopped. */
  isContinuable: boolean
  /** True if the run works in a worktree. While the run is active, it has exclusive access to that worktree. */
  usesWorktree: boolean
}

/** All differences between kinds of runs, except the work itself. */
export const runKinds: { [K in RunKind]: Traits<InputOf<K>> } = {
  workflow: {
    executor: "worker",
    input: WorkflowInput,
    wordsOf: ({ user_prompt }) => user_prompt,
    repositoryOf: () => undefined,
    programOf: () => undefined,
    isSupporting: false,
    isContinuable: true,
    usesWorktree: false,
  },
  agent: {
    executor: "runner",
    input: AgentInput,
    wordsOf: ({ task }) => task,
    repositoryOf: ({ repository }) => repository ?? undefined,
    programOf: ({ cli, account, model, reasoning }) => ({ cli, account, model, reasoning }),
    mustVerify: ({ verification }) => verification !== undefined,
    isSupporting: false,
    isContinuable: false,
    usesWorktree: true,
  },
  check: {
    executor: "runner",
    input: CheckInput,
    wordsOf: ({ workspace_version, node_id }) =>
      node_id === undefined ? `Check of version ${workspace_version}` : `Check of the node ${node_id}`,
    repositoryOf: () => undefined,
    programOf: () => undefined,
    isSupporting: true,
    isContinuable: false,
    usesWorktree: false,
  },
  chat: {
    executor: "worker",
    input: ChatInput,
    wordsOf: ({ words }) => words,
    repositoryOf: () => undefined,
    programOf: () => undefined,
    isSupporting: false,
    isContinuable: false,
    usesWorktree: false,
  },
  train: {
    executor: "runner",
    input: TrainInput,
    wordsOf: ({ worktrees }) => `Merge ${worktrees.join(", ")}`,
    repositoryOf: () => undefined,
    programOf: () => undefined,
    isSupporting: true,
    isContinuable: false,
    // A train runs commands in worktrees. These commands have their own admission rules.
    usesWorktree: false,
  },
  team: {
    executor: "worker",
    input: TeamInput,
    wordsOf: ({ goal }) => goal,
    repositoryOf: ({ repository }) => repository,
    programOf: () => undefined,
    isSupporting: false,
    isContinuable: false,
    usesWorktree: false,
  },
  work_node: {
    executor: "worker",
    input: WorkNodeInput,
    wordsOf: ({ task }) => task,
    repositoryOf: () => undefined,
    programOf: () => undefined,
    isSupporting: true,
    isContinuable: false,
    usesWorktree: false,
  },
  page: {
    executor: "worker",
    input: PageInput,
    wordsOf: ({ url }) => `Summary of ${url}`,
    repositoryOf: () => undefined,
    programOf: () => undefined,
    isSupporting: true,
    isContinuable: false,
    usesWorktree: false,
  },
  rewind: {
    executor: "worker",
    input: RewindInput,
    wordsOf: () => "Rewind of the chat",
    repositoryOf: () => undefined,
    programOf: () => undefined,
    isSupporting: true,
    isContinuable: false,
    usesWorktree: false,
  },
  fork: {
    executor: "worker",
    input: ForkInput,
    wordsOf: ({ from }) => `Fork of ${from.name}`,
    repositoryOf: () => undefined,
    programOf: () => undefined,
    isSupporting: true,
    isContinuable: false,
    usesWorktree: false,
  },
  chat_files: {
    executor: "worker",
    input: FilesTask,
    wordsOf: () => "",
    repositoryOf: () => undefined,
    programOf: () => undefined,
    isSupporting: true,
    isContinuable: false,
    usesWorktree: false,
  },
  login: {
    executor: "runner",
    input: LoginInput,
    wordsOf: ({ account }) => `Login of ${account}`,
    repositoryOf: () => undefined,
    programOf: () => undefined,
    isSupporting: false,
    isContinuable: false,
    usesWorktree: false,
  },
  shell_command: {
    executor: "runner",
    input: ShellCommandInput,
    wordsOf: ({ command }) => command,
    repositoryOf: () => undefined,
    programOf: () => undefined,
    isSupporting: true,
    isContinuable: false,
    usesWorktree: false,
  },
}

/**
 * Returns the facts about a run that are known before it starts: its request, repository, program, and whether it must
 * be verified.
 */
export function summaryOf<K extends RunKind>({ kind, input }: { kind: K; input: InputOf<K> }) {
  const { wordsOf, repositoryOf, programOf, mustVerify } = runKinds[kind]
  const verify = mustVerify?.(input) || undefined
  return { words: wordsOf(input), repository: repositoryOf(input), program: programOf(input), verify }
}

/**
 * Returns true if the session's runner executes the run. False for unknown kinds, because a log may contain newer kinds
 * than this code knows.
 */
export function isForRunner({ kind }: { kind: RunKind }): boolean {
  return Object.hasOwn(runKinds, kind) && runKinds[kind].executor === "runner"
}

/** Returns true if a person is waiting for the run's answer. Such runs are refused if they can't start immediately. */
export function isAnsweredAtOnce({ kind }: { kind: RunKind }): boolean {
  return kind === "chat" || kind === "page"
}

/** Returns true for runs that budgets never block, because these runs don't call models themselves. */
export function isFree({ kind }: { kind: RunKind }): boolean {
  return kind === "check" || kind === "rewind" || kind === "fork" || kind === "chat_files" || kind === "login"
}

/** Returns true for runs that work in a worktree. */
export function usesWorktree({ kind }: { kind: RunKind }): boolean {
  return Object.hasOwn(runKinds, kind) && runKinds[kind].usesWorktree
}

/** Returns true for runs that are requested and awaited by another run. They end with that other run. */
export function isForAnother({ kind }: { kind: RunKind }): boolean {
  return kind === "check" || kind === "shell_command"
}

/**
 * Returns true for runs that write the session's own files in several steps. Between two steps, the files may be
 * inconsistent.
 */
export function writesFiles({ kind }: { kind: RunKind }): boolean {
  return kind === "workflow"
}

/** Returns true for runs that may commit to the session's own files before they end. */
export function mayChangeFiles({ kind }: { kind: RunKind }): boolean {
  return kind !== "check" && kind !== "page" && kind !== "login" && kind !== "shell_command"
}

/**
 * Returns true for runs of the planner, architect and coder. Accepts any string, because a kind may be newer than this
 * code.
 */
export function isBuild({ kind }: { kind: string }): boolean {
  return kind === "workflow"
}

/** Returns true for runs that the API calls tasks. */
export function isTask({ kind }: { kind: RunKind }): boolean {
  return kind === "agent"
}
