import * as z from "zod"
import { AppError } from "../../../errors.ts"
import type { Workspace } from "../../../files/workspaces/files.ts"
import { type WorkspacePath, workspacePath, workspacePathIfValid } from "../../../files/workspaces/path.ts"
import { jsonIn } from "../../harness/answer-json.ts"
import type { ImplementationStep, Plan, PlannedFile, TaskPlan } from "../schema.ts"
import { type LooseFile, LoosePlan, LooseTaskPlan } from "./answer-schema.ts"
import { isManifest, isReadme, isWritableAsText } from "./file-kinds.ts"
import { obstacleAt } from "./staging.ts"

/**
 * Maximum number of planned files. A longer plan would be too long for people to follow, even if `recursion_limit`
 * allows it.
 */
const MAX_PLANNED_FILES = 200

export interface PlanLimits {
  maxFiles: number
  files: Pick<Workspace, "stat">
}

/**
 * Parses the plan in a model's answer. Throws `invalid_request` with all problems of the plan, worded for the model.
 */
export function parsePlan(answer: string, { maxFiles, files: present }: PlanLimits): Plan {
  const plan = parseAnswer(answer, LoosePlan)
  const problems: string[] = []
  const files = plan.files.map((file) => normalFile(file, present, problems))
  const paths = files.map(targetOf)
  problems.push(...duplicatesIn(paths).map((path) => `The file ${path} is planned more than once.`))
  problems.push(...twinsAmong(paths).map((path) => `The path ${path} differs from another only in its case.`))
  problems.push(...foldersAmong(paths).map((path) => `The path ${path} is a file and a folder of other files.`))
  if (files.length > maxFiles) {
    problems.push(`There are ${files.length} files, but recursion_limit leaves room for ${maxFiles}.`)
  }
  if (files.length > MAX_PLANNED_FILES) {
    problems.push(`There are ${files.length} files, but a plan may have at most ${MAX_PLANNED_FILES}.`)
  }
  const known = withoutStrayDependencies(files)
  problems.push(...circlesAmong(known))
  if (problems.length === 0) problems.push(...files.flatMap((file) => obstacleFor(file, present) ?? []))
  throwProblems(problems)
  return { ...plan, files: known }
}

/** Returns a planned file's final path. */
export function targetOf({ path, to }: Pick<PlannedFile, "path" | "to">): string {
  return to ?? path
}

/**
 * Parses the tasks in a model's answer, exactly one per planned file. Manifests come first, because they declare the
 * tools. Deletions come near the end, and a README comes last. Throws the same errors as `parsePlan`.
 */
export function parseTaskPlan(answer: string, plan: Plan): TaskPlan {
  const problems: string[] = []
  const given = parseAnswer(answer, LooseTaskPlan).implementation_steps.map((step) => ({
    ...step,
    file_path: plannedPath(parsePath(step.file_path, problems) ?? step.file_path, plan),
  }))
  const deleted = plan.files.filter(({ action }) => action === "delete").map(({ path }) => path)
  const planned = plan.files.filter(({ action }) => action !== "delete").map(targetOf)
  const steps = oneForEachFile(given.filter(({ file_path }) => !deleted.includes(file_path)))
  const tasked = steps.map((step) => step.file_path)
  const unknown = tasked.filter((path) => !planned.includes(path))
  const missing = planned.filter((path) => !tasked.includes(path))
  problems.push(...unknown.map((path) => `The file ${path} is not in the plan.`))
  problems.push(...missing.map((path) => `The file ${path} of the plan has no step.`))
  throwProblems(problems)
  const deletions = deleted.map((path) => ({ file_path: path, task_description: "Delete this file." }))
  return { implementation_steps: inOrder([...steps, ...deletions]), plan }
}

/** Converts a model's path to a path relative to the project's root. */
export function modelPath(input: string): WorkspacePath {
  return workspacePath(fromRoot(input))
}

/** Converts a model's path like `modelPath`, but returns undefined if the path is invalid. */
export function modelPathIfValid(input: string): WorkspacePath | undefined {
  return workspacePathIfValid(fromRoot(input))
}

function fromRoot(input: string): string {
  return input.trim().replace(/^(\.?\/+)+/, "")
}

/** Returns the first object in an answer that matches the schema. Throws `invalid_request` if no object matches. */
export function parseAnswer<T extends z.ZodType>(answer: string, schema: T): z.infer<T> {
  if (answer.trim() === "") throw invalid("The answer is empty.")
  let problem: string | undefined
  const { values, isCut } = jsonIn(answer)
  for (const value of values) {
    const parsed = schema.safeParse(value)
    if (parsed.success) return parsed.data
    problem ??= z.prettifyError(parsed.error).slice(0, 1000)
  }
  if (problem === undefined || isCut) throw invalid("The answer is not a complete JSON object.")
  throw invalid(`The answer does not have the right shape:\n${problem}`)
}

/**
 * Normalises a planned file. Decides between create and change by the project's files, even if the model says
 * otherwise.
 */
function normalFile(
  file: z.infer<typeof LooseFile>,
  present: Pick<Workspace, "stat">,
  problems: string[],
): PlannedFile {
  const path = parsePath(file.path, problems) ?? file.path
  const to = file.to ? (parsePath(file.to, problems) ?? file.to) : undefined
  const exists = present.stat(path as WorkspacePath)?.type === "file"
  const depends_on = file.depends_on?.map((other) => modelPathIfValid(other) ?? other)
  const common = { path, purpose: file.purpose, ...(depends_on && { depends_on }) }
  if (file.action === "delete") return { ...common, action: "delete" }
  if (file.action === "rename" && to && to !== path) return { ...common, action: "rename", to }
  return { ...common, action: exists ? "change" : "create" }
}

/** Returns the reason why a file can't be handled as planned, or undefined if it can. */
function obstacleFor(file: PlannedFile, present: Pick<Workspace, "stat">): string | undefined {
  const { action, path, to } = file
  const exists = present.stat(path as WorkspacePath)?.type === "file"
  if (action === "delete") return exists ? undefined : `There is no file ${path} to delete.`
  if (action === "rename") {
    if (!exists) return `There is no file ${path} to rename.`
    if (present.stat(to as WorkspacePath)) return `The file ${path} can't become ${to}, which exists already.`
  }
  if (action === "create" && !isWritableAsText(path)) {
    return `The file ${path} can't be written as text: leave it out, or plan something in its place that is text, such as SVG.`
  }
  return obstacleAt(present, targetOf(file) as WorkspacePath)
}

/**
 * Keeps only dependencies on planned files, with their final paths. Other files either exist already or will never
 * exist.
 */
function withoutStrayDependencies(files: PlannedFile[]): PlannedFile[] {
  const planned = new Set(files.map(targetOf))
  const renamed = new Map(files.map((file) => [file.path, targetOf(file)]))
  return files.map(({ depends_on, ...file }) => {
    const targets = depends_on?.map((path) => (planned.has(path) ? path : (renamed.get(path) ?? path)))
    const known = targets?.filter((path) => planned.has(path) && path !== targetOf(file))
    return { ...file, ...(known && { depends_on: known }) }
  })
}

/** Finds dependency cycles, whose files can't be written in any order. */
function circlesAmong(files: PlannedFile[]): string[] {
  let waiting = files
  for (;;) {
    const paths = new Set(waiting.map(targetOf))
    const stuck = waiting.filter(({ depends_on = [] }) => depends_on.some((path) => paths.has(path)))
    if (stuck.length === 0) return []
    if (stuck.length === waiting.length) {
      return [`These files depend on one another in a circle: ${stuck.map(targetOf).join(", ")}.`]
    }
    waiting = stuck
  }
}

/**
 * Returns the planned file to which a step refers. A step may use either path of a renamed file. Ignores case if there
 * is only one match.
 */
function plannedPath(path: string, { files }: Plan): string {
  const isSame = (a: string, b: string | undefined) => a === b
  const isAlike = (a: string, b: string | undefined) => a.toLowerCase() === b?.toLowerCase()
  for (const matches of [isSame, isAlike]) {
    const found = files.filter((file) => matches(path, file.path) || matches(path, file.to))
    if (found.length === 1 && found[0]) return targetOf(found[0])
  }
  return path
}

/**
 * Merges several steps for the same file, at the position of the first, because the coder writes a whole file per
 * visit.
 */
function oneForEachFile(steps: ImplementationStep[]): ImplementationStep[] {
  return [...Map.groupBy(steps, ({ file_path }) => file_path)].map(([file_path, tasks]) => ({
    file_path,
    task_description: tasks.map(({ task_description }) => task_description).join("\n\n"),
  }))
}

function inOrder(steps: ImplementationStep[]): ImplementationStep[] {
  const rankOf = ({ file_path }: ImplementationStep) => {
    if (isManifest(file_path)) return 0
    return isReadme(file_path) ? 2 : 1
  }
  return steps.toSorted((a, b) => rankOf(a) - rankOf(b))
}

function parsePath(input: string, problems: string[]): WorkspacePath | undefined {
  try {
    return modelPath(input)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    problems.push(`${JSON.stringify(input.slice(0, 256))} can't be used: ${error.message}`)
    return undefined
  }
}

function duplicatesIn(paths: string[]): string[] {
  return [...new Set(paths.filter((path, index) => paths.indexOf(path) !== index))]
}

/** Finds paths that refer to the same file on file systems that ignore case, as on Windows and macOS. */
function twinsAmong(paths: string[]): string[] {
  const unique = [...new Set(paths)]
  const folded = unique.map((path) => path.toLowerCase())
  return unique.filter((_, index) => folded.indexOf(folded[index] ?? "") !== index)
}

function foldersAmong(paths: string[]): string[] {
  return [...new Set(paths)].filter((path) => paths.some((other) => other.startsWith(`${path}/`)))
}

function throwProblems(problems: string[]): void {
  if (problems.length > 0) throw invalid(problems.slice(0, 20).join("\n"))
}

function invalid(message: string): AppError {
  return new AppError("invalid_request", message)
}
