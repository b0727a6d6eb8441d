import { balancedObjects } from "@switchyard/core/agents/conversations/extract-json"
import * as z from "zod"

/** Instructions for the mock agent, from its task after `mock:`. Without any, it writes one file and is done. */
export const Knobs = z.object({
  /** Duration of the turn, in ten steps. */
  duration_ms: z.int().nonnegative().default(0),
  exit_code: z.int().min(0).max(255).default(0),
  say: z.string().default("I do what the task says."),
  /** Thinks this first. */
  thinks: z.string().optional(),
  /** Says this a word at a time, one each 30 ms. */
  streams: z.string().optional(),
  /** Asks the model of its account so often, of which so many at once. */
  calls: z.int().nonnegative().default(0),
  calls_at_once: z.int().positive().default(1),
  /** Writes down this list of what it means to do; of these, so many are done. */
  todos: z.array(z.string()).default([]),
  todos_done: z.int().nonnegative().default(0),
  /** Has a helper do this: each of these commands, and then says so. */
  helper: z.object({ task: z.string(), commands: z.array(z.string()), says: z.string() }).optional(),
  /** Asks which of these it shall be, once for each. */
  choices: z
    .array(z.object({ question: z.string(), options: z.array(z.string()), multi: z.boolean().default(false) }))
    .default([]),
  /** Presents this plan, and waits whether it shall go ahead. */
  plan: z.string().optional(),
  /** Replaces a text of a file by another. */
  edits: z.array(z.object({ path: z.string(), from: z.string(), to: z.string() })).default([]),
  files: z.record(z.string(), z.string()).default({}),
  /** Writes these instead in the second turn of its session, in the third and so on; the last of them from then on. */
  later: z.array(z.record(z.string(), z.string())).default([]),
  /** The status that it gives its work. */
  status: z.enum(["success", "partial", "blocked", "error"]).default("success"),
  /** Calls these tools of the session's, one after the other, and says what each answers. */
  tools: z.array(z.object({ name: z.string(), args: z.record(z.string(), z.json()).default({}) })).default([]),
  /** Runs the commands this often, each time one after the other, in the first turns of its sessions, so many of them. */
  circles: z.object({ times: z.int().positive(), turns: z.int().positive().default(1000) }).optional(),
  /** Says of each of its commands that so many tokens were read for it. */
  tokens: z.int().positive().optional(),
  /** Runs these commands of a shell before it writes. */
  commands: z.array(z.string()).default([]),
  /** Writes so many small files by one command, as a generator does. */
  generates: z.int().min(0).max(100_000).default(0),
  /** Files and folders under its folder that it removes before it writes, and `.` for that folder itself. */
  deletes: z.array(z.string()).default([]),
  /** Makes a repository of its own of its folder then, with a commit, as agents do that miss one. */
  inits: z.boolean().default(false),
  /** Ends the turn with this error and a status, as a provider's API would. */
  fails: z.object({ status: z.int(), message: z.string() }).optional(),
  /** Meets the limit of its account after it wrote: with one of these models, if any are named, and in so many turns of its session. */
  limit: z
    .object({
      /** Meets it after so many of its commands, before it goes on. */
      after: z.int().nonnegative().optional(),
      models: z.array(z.string()).optional(),
      turns: z.int().positive().default(1000),
      /** The time at which it says that the limit is reset; else within a second. */
      until: z.iso.datetime().optional(),
      window: z.string().default("five_hour"),
    })
    .optional(),
  /** Says of its account's limit how much is used, and waits to be stopped for that: with this model. */
  quota: z.object({ model: z.string(), used: z.array(z.number()), window: z.string().default("five_hour") }).optional(),
  /** Says how many tokens are in its conversation, with this model: these in its session's first turn, in the second and so on. */
  context: z
    .object({
      model: z.string(),
      /** The room that it has, of which it tells at the end of each turn. */
      window: z.int().positive(),
      used: z.array(z.array(z.int().positive())),
      /** Waits in the last of these turns to be stopped for that. */
      waits: z.boolean().default(false),
    })
    .optional(),
  /** As a reviewer: says these, the first about the first attempt and so on, and the last from then on. It tries to write `writes` first. */
  reviews: z
    .array(
      z.object({
        passed: z.boolean().default(true),
        findings: z.array(z.json()).default([]),
        writes: z.string().optional(),
        /** Says this in place of a verdict, and the verdict only when it is asked again. */
        first: z.string().optional(),
        fails: z.object({ status: z.int(), message: z.string() }).optional(),
        hangs: z.boolean().default(false),
      }),
    )
    .default([]),
  /** Asks whether it may, and waits for the answer, once for each. */
  questions: z.array(z.string()).default([]),
  /** Says in its summary that it did this. */
  did: z.string().default("The mock agent did what its task says."),
  /** Whether the last message holds the summary; with a number, only from that turn of the session on. */
  summary: z.union([z.boolean(), z.int().positive()]).default(true),
  /** Begins this command, and never says what came of it. */
  unanswered: z.string().optional(),
  /** Says nothing any more, and never ends. */
  hangs: z.boolean().default(false),
  /** Says this again and again, as one whose model breaks off each time, and never ends. */
  repeats: z.string().optional(),
  /** Takes no notice of polite signals. */
  stubborn: z.boolean().default(false),
  /** Starts as many programs that leave its process group and outlive it. */
  orphans: z.int().min(0).max(10).default(0),
  /** Writes as much to its terminal. */
  flood_bytes: z.int().nonnegative().default(0),
  /** Writes bytes that are no text and sequences without an end to its terminal. */
  garbage: z.boolean().default(false),
})
export type Knobs = z.infer<typeof Knobs>

/** The attempt of which a session is the review, by the first words that it was told; undefined for one that works itself. */
export function reviewedAttempt(told: string | undefined): number | undefined {
  const found = /^# Review\n[\s\S]*?attempt (\d+) of/.exec(told ?? "")
  return found ? Number(found[1]) : undefined
}

/** Undefined where the task has no word about it: then what was asked last holds. */
export function knobsIn(task: string): Knobs | undefined {
  const at = task.indexOf("mock:")
  const [object] = at === -1 ? [] : balancedObjects(task.slice(at))
  return object === undefined ? undefined : Knobs.parse(JSON.parse(object))
}

export const usualKnobs = Knobs.parse({ files: { "MOCK.md": "The mock agent was here.\n" } })
