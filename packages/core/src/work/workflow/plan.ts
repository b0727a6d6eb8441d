import * as z from "zod"
import { AppError } from "../../errors.ts"
import { type WorkspacePath, workspacePath } from "../../files/workspaces/path.ts"
import { ImplementationStep, Plan, type TaskPlan } from "./schema.ts"

/** The answer that the architect is asked for; the plan is attached to it afterwards. */
export const TaskPlanAnswer = z.object({ implementation_steps: z.array(ImplementationStep).min(1) })

/** More than that is no plan that a person could follow, whatever room recursion_limit leaves. */
const MAX_PLANNED_FILES = 200

export interface PlanLimits {
  maxFiles: number
  /** The reason for which no file can be written at a path, if any. */
  obstacle(path: WorkspacePath): string | undefined
}

/** The plan in a model's answer. Throws `invalid_request` with all that is wrong with it, in words that a model can act on. */
export function parsePlan(answer: string, { maxFiles, obstacle }: PlanLimits): Plan {
  const plan = parseAnswer(answer, Plan)
  const problems: string[] = []
  const files = plan.files.map((file) => ({ ...file, path: parsePath(file.path, problems) ?? file.path }))
  const paths = files.map((file) => file.path)
  problems.push(...duplicatesIn(paths).map((path) => `The file ${path} is planned more than once.`))
  problems.push(...foldersAmong(paths).map((path) => `The path ${path} is a file and a folder of other files.`))
  if (files.length > maxFiles) {
    problems.push(`There are ${files.length} files, but recursion_limit leaves room for ${maxFiles}.`)
  }
  if (files.length > MAX_PLANNED_FILES) {
    problems.push(`There are ${files.length} files, but a plan may have at most ${MAX_PLANNED_FILES}.`)
  }
  if (problems.length === 0) {
    problems.push(...files.flatMap(({ path }) => obstacle(path as WorkspacePath) ?? []))
  }
  throwProblems(problems)
  return { ...plan, files }
}

/** The tasks in a model's answer, exactly one for each file of the plan. Throws as `parsePlan` does. */
export function parseTaskPlan(answer: string, plan: Plan): TaskPlan {
  const problems: string[] = []
  const steps = parseAnswer(answer, TaskPlanAnswer).implementation_steps.map((step) => ({
    ...step,
    file_path: parsePath(step.file_path, problems) ?? step.file_path,
  }))
  const planned = plan.files.map((file) => file.path)
  const tasked = steps.map((step) => step.file_path)
  const unknown = tasked.filter((path) => !planned.includes(path))
  const missing = planned.filter((path) => !tasked.includes(path))
  problems.push(...unknown.map((path) => `The file ${path} is not in the plan.`))
  problems.push(...missing.map((path) => `The file ${path} of the plan has no step.`))
  problems.push(...duplicatesIn(tasked).map((path) => `The file ${path} has more than one step.`))
  throwProblems(problems)
  return { implementation_steps: steps, plan }
}

/** The path that a model means. A leading "./" is the one liberty that is always harmless. */
export function modelPath(input: string): WorkspacePath {
  return workspacePath(input.trim().replace(/^(\.\/+)+/, ""))
}

function parseAnswer<T extends z.ZodType>(answer: string, schema: T): z.infer<T> {
  if (answer.trim() === "") throw invalid("The answer is empty.")
  const parsed = schema.safeParse(extractJson(answer))
  if (parsed.success) return parsed.data
  throw invalid(`The answer does not have the right shape:\n${z.prettifyError(parsed.error).slice(0, 1000)}`)
}

/** Models wrap JSON in fences, or in a sentence before and after, however often they are told not to. */
function extractJson(answer: string): unknown {
  const fenced = fencedText(answer)
  const braced = answer.slice(answer.indexOf("{"), answer.lastIndexOf("}") + 1)
  for (const text of [answer, fenced, braced]) {
    const value = text && parseJson(text)
    if (typeof value === "object") return value
  }
  throw invalid("The answer is not a complete JSON object.")
}

/** The lines between the first two fences. By lines, for an expression takes the cube of the line feeds in a row. */
function fencedText(answer: string): string | undefined {
  const lines = answer.split("\n").map((line) => line.trim())
  const start = lines.findIndex((line) => /```(json)?$/i.test(line))
  const end = lines.findIndex((line, at) => at > start && line.startsWith("```"))
  return start === -1 || end === -1
    ? undefined
    : answer
        .split("\n")
        .slice(start + 1, end)
        .join("\n")
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
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

function foldersAmong(paths: string[]): string[] {
  return [...new Set(paths)].filter((path) => paths.some((other) => other.startsWith(`${path}/`)))
}

function throwProblems(problems: string[]): void {
  if (problems.length > 0) throw invalid(problems.slice(0, 20).join("\n"))
}

function invalid(message: string): AppError {
  return new AppError("invalid_request", message)
}
