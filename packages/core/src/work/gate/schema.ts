import * as z from "zod"

/** Agent of the runs that execute checks. These run alongside the session's other agents, one at a time. */
export const CHECKER = "checks"

/** Names of the checks, in execution order. Each check relies on the results of earlier checks. */
export const CheckName = z.enum(["install", "build", "lint", "test", "start"])
export type CheckName = z.infer<typeof CheckName>

export const TestCounts = z.object({
  passed: z.int().nonnegative(),
  failed: z.int().nonnegative(),
  skipped: z.int().nonnegative(),
})
export type TestCounts = z.infer<typeof TestCounts>

const MAX_COMMAND_CHARS = 500

const Command = z
  .string()
  .trim()
  .min(1)
  .max(MAX_COMMAND_CHARS)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is refused
  .refine((text) => text.isWellFormed() && !/[\u0000-\u001f\u007f]/.test(text), "Must be one line of text.")

/** Commands set by a person to override the detected ones. */
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

/** Default time limit of a check command, in seconds. */
export const USUAL_LIMIT_SECONDS = 300
const LIMIT_TEXT = "A time limit must be a whole number of seconds from 1 to 3600."
const LimitSeconds = z.int(LIMIT_TEXT).min(1, LIMIT_TEXT).max(3600, LIMIT_TEXT)

/** Default number of seconds within which a project's server must respond, for checks and for previews. */
export const START_LIMIT_SECONDS = 20
export const PREVIEW_LIMIT_SECONDS = 60

/** The start fails if the response to `GET /` has this status or a higher one. */
export const SERVER_ERROR_STATUS = 500

/** Memory limit for each process of a command, so that a runaway process can't take down the machine. */
export const PROCESS_MEMORY_BYTES = 4 * 2 ** 30

/** Time limits for check commands in seconds. They apply both to detected commands and to commands set by a person. */
export const CheckLimits = z
  .strictObject({
    install: LimitSeconds.optional(),
    build: LimitSeconds.optional(),
    lint: LimitSeconds.optional(),
    test: LimitSeconds.optional(),
    start: LimitSeconds.optional().describe(
      `Until the server responds; ${START_LIMIT_SECONDS} in a check, ${PREVIEW_LIMIT_SECONDS} in a preview by default`,
    ),
  })
  .meta({ id: "CheckLimits" })
export type CheckLimits = z.infer<typeof CheckLimits>

/** Language of a project, whose conventions determine how the project is built and tested. */
export const ProjectType = z.enum(["javascript", "typescript", "python", "go", "rust", "java"])
export type ProjectType = z.infer<typeof ProjectType>

/** Commands and time limits for a repository, set by a person. */
export const RepositoryChecks = CheckCommands.extend({
  project_type: ProjectType.optional().describe(
    "Type of project to check, if a repository has manifests of several types",
  ),
  limits_seconds: CheckLimits.optional().describe(
    `Seconds after which a set or detected command counts as failed; ${USUAL_LIMIT_SECONDS} by default`,
  ),
}).meta({ id: "RepositoryChecks" })
export type RepositoryChecks = z.infer<typeof RepositoryChecks>

/** Result of one check command. */
export const CheckResult = z.object({
  name: CheckName,
  command: z.string(),
  passed: z.boolean(),
  blocked: z
    .boolean()
    .optional()
    .describe("True if the command needs something that the check's environment lacks, which `reason` names"),
  exit_code: z.int().nullable().describe("Null for a command that was stopped"),
  duration_ms: z.number(),
  tests: TestCounts.optional().describe("Counts found in the test output, if any"),
  set: z.boolean().optional().describe("True if a person set the command; otherwise it was detected"),
  reason: z.string().optional().describe("Reason for the result, if the exit code doesn't explain it"),
  errors: z.array(z.string()).optional().describe("First lines of the output that report an error, if it failed"),
})
export type CheckResult = z.infer<typeof CheckResult>

/** A screenshot of the built project, stored outside the session log. */
export const Picture = z
  .object({
    sha256: z.string(),
    size_bytes: z.int().nonnegative(),
    width: z.int().positive(),
    height: z.int().positive(),
  })
  .meta({ id: "Picture" })
export type Picture = z.infer<typeof Picture>

/** A changed test, or a changed file that affects how tests run. */
export const ChangedTest = z
  .object({
    path: z.string(),
    reason: z.string().nullable().describe("The author's reason for the change; null if none was given"),
    kind: z
      .enum(["extended", "changed", "deleted", "settings"])
      .describe("`extended` if something was only added; `settings` if the file determines how tests run"),
  })
  .meta({ id: "ChangedTest" })
export type ChangedTest = z.infer<typeof ChangedTest>

/** Identifies a team node whose files were checked together with the project's. */
export const checkedNode = {
  node_id: z.string().optional().describe("Team node whose files were checked together with the project's"),
  manifest: z
    .string()
    .optional()
    .describe("Manifest of the checked files, if they aren't a version of the session's own"),
}

/**
 * Result of running a project. It is evidence only for the work that it names: a version of the files, a commit, or a
 * node's files.
 */
export const Verdict = z
  .object({
    status: z.enum(["passed", "failed", "not_run"]),
    workspace_version: z.int().nonnegative().nullable().describe("The checked version"),
    commit: z.string().optional().describe("The checked commit, instead of a version"),
    tests_of: z.string().optional().describe("Commit or version whose tests were used instead"),
    ...checkedNode,
    checks: z.array(CheckResult),
    changed_tests: z
      .array(ChangedTest)
      .optional()
      .describe("Tests changed by the work; absent if it didn't change any"),
    reason: z.string().optional().describe("Why the project wasn't run, or not to the end"),
  })
  .meta({ id: "Verdict" })
export type Verdict = z.infer<typeof Verdict>

/** Input of a run that checks a version of the session's files. */
export const CheckInput = z.object({
  workspace_version: z.int().nonnegative(),
  manifest: z.string().nullable().describe("Manifest of that version"),
  commands: RepositoryChecks.optional().describe("Commands set by a person"),
  node_id: z.string().optional().describe("Team node being checked, whose files are included"),
  tests_of: z.string().optional().describe("Version whose tests are used instead of the checked version's"),
})
export type CheckInput = z.infer<typeof CheckInput>
