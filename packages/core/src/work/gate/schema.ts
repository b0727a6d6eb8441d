import * as z from "zod"

/** The agent that runs of checks belong to, so that they go on beside those of the session's own agents, one at a time. */
export const CHECKER = "checks"

/** The checks, in the order in which they run: each needs what those before it made. */
export const CheckName = z.enum(["install", "build", "lint", "test", "start"])
export type CheckName = z.infer<typeof CheckName>

export const TestCounts = z.object({
  passed: z.int().nonnegative(),
  failed: z.int().nonnegative(),
  skipped: z.int().nonnegative(),
})
export type TestCounts = z.infer<typeof TestCounts>

const MAX_COMMAND_CHARS = 500

/** A line for a shell. */
const Command = z
  .string()
  .trim()
  .min(1)
  .max(MAX_COMMAND_CHARS)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is refused
  .refine((text) => text.isWellFormed() && !/[\u0000-\u001f\u007f]/.test(text), "Must be one line of text.")

/** The commands that a person set in place of those that are found. */
export const CheckCommands = z
  .strictObject({
    install: Command.optional(),
    build: Command.optional(),
    lint: Command.optional(),
    test: Command.optional(),
    start: Command.optional(),
  })
  .meta({ id: "CheckCommands" })
export type CheckCommands = z.infer<typeof CheckCommands>

/** The seconds that a command of a check has, unless somebody sets others. */
export const USUAL_LIMIT_SECONDS = 300
const LIMIT_TEXT = "A time limit is a whole number of seconds from 1 to 3600."
const LimitSeconds = z.int(LIMIT_TEXT).min(1, LIMIT_TEXT).max(3600, LIMIT_TEXT)

/** The seconds until the project's server must answer, unless somebody sets others: in a check, and where people look at it. */
export const START_LIMIT_SECONDS = 20
export const PREVIEW_LIMIT_SECONDS = 60

/** The seconds that commands of checks have before they are stopped, whoever set the commands. */
export const CheckLimits = z
  .strictObject({
    install: LimitSeconds.optional(),
    build: LimitSeconds.optional(),
    lint: LimitSeconds.optional(),
    test: LimitSeconds.optional(),
    start: LimitSeconds.optional().describe(
      `Until a server answers; ${START_LIMIT_SECONDS} in a check, ${PREVIEW_LIMIT_SECONDS} where people look at it`,
    ),
  })
  .meta({ id: "CheckLimits" })
export type CheckLimits = z.infer<typeof CheckLimits>

/** The language of a project whose conventions say how it is built and tested. */
export const ProjectType = z.enum(["javascript", "typescript", "python", "go", "rust", "java"])
export type ProjectType = z.infer<typeof ProjectType>

/** The commands that a person set for a repository, and how long they may take. */
export const RepositoryChecks = CheckCommands.extend({
  project_type: ProjectType.optional().describe(
    "The project whose commands are found, where a repository has the manifests of several",
  ),
  limits_seconds: CheckLimits.optional().describe(
    `The seconds after which a command counts as failed, found or set; ${USUAL_LIMIT_SECONDS} for those that aren't named`,
  ),
}).meta({ id: "RepositoryChecks" })
export type RepositoryChecks = z.infer<typeof RepositoryChecks>

/** The result of one command. */
export const CheckResult = z.object({
  name: CheckName,
  command: z.string(),
  passed: z.boolean(),
  exit_code: z.int().nullable().describe("Null for a command that was stopped"),
  duration_ms: z.number(),
  tests: TestCounts.optional().describe("As far as the output of the tests says it"),
  set: z.boolean().optional().describe("Whether a person set the command; else it was found"),
  reason: z.string().optional().describe("Why it counts as it does, where the exit code doesn't say it"),
})
export type CheckResult = z.infer<typeof CheckResult>

/** A picture of what was built, beside the session's log. */
export const Picture = z
  .object({
    sha256: z.string(),
    size_bytes: z.int().nonnegative(),
    width: z.int().positive(),
    height: z.int().positive(),
  })
  .meta({ id: "Picture" })
export type Picture = z.infer<typeof Picture>

/** A test, or a file that decides how tests run, that the checked work changed. */
export const ChangedTest = z
  .object({
    path: z.string(),
    reason: z.string().nullable().describe("Why it was changed, as its author says; null if nobody said"),
    kind: z
      .enum(["extended", "changed", "deleted", "settings"])
      .describe("`extended` if it only has more than before; `settings` if it decides how tests run"),
  })
  .meta({ id: "ChangedTest" })
export type ChangedTest = z.infer<typeof ChangedTest>

/** A node of a team whose files were checked, as they would be among the project's. */
export const checkedNode = {
  node_id: z.string().optional().describe("The node of a team whose files were checked among those of the project"),
  manifest: z.string().optional().describe("The list of just those files, which this is about"),
}

/** The result of running a project. It is evidence for this version of the files, this commit or these files of a node, and for no other. */
export const Verdict = z
  .object({
    status: z.enum(["passed", "failed", "not_run"]),
    workspace_version: z.int().nonnegative().nullable().describe("The version that was checked"),
    commit: z.string().optional().describe("The commit that was checked in its place"),
    tests_of: z.string().optional().describe("The commit or version whose tests were put in place of its own"),
    ...checkedNode,
    checks: z.array(CheckResult),
    changed_tests: z
      .array(ChangedTest)
      .optional()
      .describe("The tests that the work changed; absent if it changed none"),
    reason: z.string().optional().describe("Why nothing was run"),
  })
  .meta({ id: "Verdict" })
export type Verdict = z.infer<typeof Verdict>

/** The input of a run that checks a version of the session's files. */
export const CheckInput = z.object({
  workspace_version: z.int().nonnegative(),
  manifest: z.string().nullable().describe("The list of that version's files"),
  commands: RepositoryChecks.optional().describe("Those that a person set"),
  node_id: z.string().optional().describe("The node of a team whose files are among them, and which this is about"),
  tests_of: z.string().optional().describe("The version whose tests are among them, in place of the checked version's"),
})
export type CheckInput = z.infer<typeof CheckInput>
