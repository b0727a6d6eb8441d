import { balancedObjects } from "@switchyard/core/agents/conversations/extract-json"
import { EARLIER_WORK } from "@switchyard/core/agents/conversations/prompt"
import * as z from "zod"

/**
 * Instructions for the mock agent, taken from the text after `mock:` in its task. By default, the agent writes one file
 * and finishes.
 */
export const Knobs = z.object({
  /** Duration of the turn, which is split into ten steps. */
  duration_ms: z.int().nonnegative().default(0),
  exit_code: z.int().min(0).max(255).default(0),
  say: z.string().default("I do what the task says."),
  /** Text of the thinking, which is sent first. */
  thinks: z.string().optional(),
  /** Text to stream word by word, every 30 ms. */
  streams: z.string().optional(),
  /** Number of calls to the account's model; `calls_at_once` of them run in parallel. */
  calls: z.int().nonnegative().default(0),
  calls_at_once: z.int().positive().default(1),
  /** To-do list, whose first `todos_done` items are done. */
  todos: z.array(z.string()).default([]),
  todos_done: z.int().nonnegative().default(0),
  /** Task of a sub-agent, the commands that it runs, and the text that it ends with. */
  helper: z.object({ task: z.string(), commands: z.array(z.string()), says: z.string() }).optional(),
  /** Multiple-choice questions, asked one after another. */
  choices: z
    .array(z.object({ question: z.string(), options: z.array(z.string()), multi: z.boolean().default(false) }))
    .default([]),
  /** Plan to present for approval. */
  plan: z.string().optional(),
  /** Text replacements in files. */
  edits: z.array(z.object({ path: z.string(), from: z.string(), to: z.string() })).default([]),
  files: z.record(z.string(), z.string()).default({}),
  /**
   * Files to write in the second, third and later turns of the session. The last entry also applies to all turns after
   * it.
   */
  later: z.array(z.record(z.string(), z.string())).default([]),
  /** Completion status in the agent's summary. */
  status: z.enum(["success", "partial", "blocked", "error"]).default("success"),
  /** Session tools to call in order. The agent prints the result of each call. */
  tools: z.array(z.object({ name: z.string(), args: z.record(z.string(), z.json()).default({}) })).default([]),
  /** Number of times that the agent runs the commands in each of the session's first `turns` turns. */
  circles: z.object({ times: z.int().positive(), turns: z.int().positive().default(1000) }).optional(),
  /** Number of input tokens to report for each use of a tool. */
  tokens: z.int().positive().optional(),
  /** Shell commands to run before writing files. */
  commands: z.array(z.string()).default([]),
  /** Number of small files to generate with one command. */
  generates: z.int().min(0).max(100_000).default(0),
  /** Files and folders to remove before writing, relative to the agent's folder. `.` is the folder itself. */
  deletes: z.array(z.string()).default([]),
  /**
   * True to create a git repository with a commit in the agent's folder, as some agents do if there is no repository.
   */
  inits: z.boolean().default(false),
  /** Error and status that end the turn, as if they came from a provider's API. */
  fails: z.object({ status: z.int(), message: z.string(), turns: z.int().positive().optional() }).optional(),
  /**
   * Account limit that is reached after the files were written. Only applies to `models`, if given, and to the
   * session's first `turns` turns.
   */
  limit: z
    .object({
      /** Number of commands after which the limit is reached, instead of after the files. */
      after: z.int().nonnegative().optional(),
      models: z.array(z.string()).optional(),
      turns: z.int().positive().default(1000),
      /** Reset time to report for the limit. The default is less than a second from now. */
      until: z.iso.datetime().optional(),
      window: z.string().default("five_hour"),
    })
    .optional(),
  /**
   * Shares of the account's limit to report as used with this model. After that, the agent waits until it is stopped.
   */
  quota: z.object({ model: z.string(), used: z.array(z.number()), window: z.string().default("five_hour") }).optional(),
  /** Conversation sizes in tokens to report with this model, as one list per turn of the session. */
  context: z
    .object({
      model: z.string(),
      /** Context window to report at the end of each turn. */
      window: z.int().positive(),
      used: z.array(z.array(z.int().positive())),
      /** True to wait in the last of these turns until the agent is stopped. */
      waits: z.boolean().default(false),
    })
    .optional(),
  /**
   * Verdicts of the agent as a reviewer, by attempt. The last verdict also applies to later attempts. If `writes` is
   * given, the reviewer first tries to write to that file.
   */
  reviews: z
    .array(
      z.object({
        passed: z.boolean().default(true),
        findings: z.array(z.json()).default([]),
        writes: z.string().optional(),
        /** Text to send instead of the verdict at first. If the reviewer is asked again, it sends the verdict. */
        first: z.string().optional(),
        fails: z.object({ status: z.int(), message: z.string() }).optional(),
        hangs: z.boolean().default(false),
      }),
    )
    .default([]),
  /** Permission questions to ask, one after another. */
  questions: z.array(z.string()).default([]),
  /** Change that the summary describes. */
  did: z.string().default("The mock agent did what its task says."),
  /** Files that the summary lists. By default, these are the files that were written. */
  claims: z.array(z.string()).optional(),
  /**
   * True if the last message contains the summary. A number means that only turns from this number on have a summary.
   */
  summary: z.union([z.boolean(), z.int().positive()]).default(true),
  /** Command to start without waiting for it. Its result is never reported. */
  unanswered: z.string().optional(),
  /** True to hang without printing anything. */
  hangs: z.boolean().default(false),
  /** Text to repeat forever, like an agent that keeps retrying the same answer. */
  repeats: z.string().optional(),
  /** True to ignore SIGTERM, SIGINT and SIGHUP. */
  stubborn: z.boolean().default(false),
  /** Number of programs to start that leave the agent's process group and continue after the agent has ended. */
  orphans: z.int().min(0).max(10).default(0),
  /** Number of bytes to write to the terminal. */
  flood_bytes: z.int().nonnegative().default(0),
  /** True to write invalid UTF-8 and unfinished sequences to the terminal. */
  garbage: z.boolean().default(false),
})
export type Knobs = z.infer<typeof Knobs>

/**
 * Returns the number of the attempt that a session reviews, as stated in the session's first message. Undefined if the
 * session does the work itself.
 */
export function reviewedAttempt(told: string | undefined): number | undefined {
  const found = /^# Review\n[\s\S]*?attempt (\d+) of/.exec(told ?? "")
  return found ? Number(found[1]) : undefined
}

/** Returns the knobs in a task. Undefined if the task contains none, so that the previous knobs still apply. */
export function knobsIn(task: string): Knobs | undefined {
  const [asked = ""] = task.split(EARLIER_WORK)
  const at = asked.indexOf("mock:")
  const [object] = at === -1 ? [] : balancedObjects(asked.slice(at))
  return object === undefined ? undefined : Knobs.parse(JSON.parse(object))
}

export const usualKnobs = Knobs.parse({ files: { "MOCK.md": "The mock agent was here.\n" } })
