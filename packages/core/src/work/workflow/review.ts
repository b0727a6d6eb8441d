import { isAppError } from "../../errors.ts"
import type { Workspace } from "../../files/workspaces/files.ts"
import type { WorkspacePath } from "../../files/workspaces/path.ts"
import { ModelError } from "../../models/errors.ts"
import { parseModelName } from "../../models/names.ts"
import { priceOf } from "../../models/prices.ts"
import { generateObject } from "../harness/generate-object.ts"
import { LooseReview, ReviewAnswer } from "./answer-schema.ts"
import { outlineTokens } from "./file-budget.ts"
import type { NodeDeps } from "./node-deps.ts"
import type { NodeSpan } from "./node-journal.ts"
import { modelPath, parseAnswer } from "./plan.ts"
import { filesSection } from "./project-section.ts"
import { REVIEWER } from "./prompt-layers.ts"
import { requestSection } from "./quoted-text.ts"
import type { ReviewFinding } from "./schema.ts"

/** More than that is no longer a last look. */
const MAX_FINDINGS = 5

/** A review may cost so much where nobody asked for one. */
const SMALL_REVIEW_USD = 0.05

/** Tokens around the files, and those of an answer with what a model thinks before it. */
const OTHER_INPUT_TOKENS = 2_000
const OUTPUT_TOKENS = 2_000

/** Whether a run is reviewed where nobody says so: if the model's price is known, and the largest review of it is cheap. */
export function isReviewCheap(modelName: string, fileTokens: number): boolean {
  const { provider, model } = parseModelName(modelName, "general")
  const price = priceOf(provider, model)
  if (!price) return false
  const input = fileTokens + outlineTokens(fileTokens) + OTHER_INPUT_TOKENS
  return (input * price.inputUsd + OUTPUT_TOKENS * price.outputUsd) / 1_000_000 <= SMALL_REVIEW_USD
}

/**
 * Compares the files with the request in one call of the model, and tells the log what is missing. A review that the model
 * doesn't get done finds nothing: the files are written and checked.
 */
export async function reviewFiles(deps: NodeDeps, span: NodeSpan, request: string): Promise<ReviewFinding[]> {
  const files = await deps.openFiles()
  const { findings, reason } = await findingsOf(deps, span, request, files)
  const counts = { file_count: files.manifest.files.length, finding_count: findings.length }
  await span.write([{ type: "files_reviewed", ...counts, findings, not_reviewed: reason }])
  return findings
}

async function findingsOf(deps: NodeDeps, span: NodeSpan, request: string, files: Workspace) {
  const present = await filesSection(files, { ...deps, signal: deps.context.signal })
  try {
    const findings = await generateObject(deps.harness(span), {
      system: REVIEWER,
      prompt: [...(present ? [present] : []), requestSection(request)].join("\n\n"),
      output: { name: "review", schema: ReviewAnswer },
      parse: (answer) => parseReview(answer, files),
    })
    return { findings, reason: undefined }
  } catch (error) {
    if (!(error instanceof ModelError) && !isAppError(error, "workflow_error")) throw error
    return { findings: [], reason: error.message }
  }
}

/** The findings in an answer, as far as they are about files that there are. */
function parseReview(answer: string, files: Pick<Workspace, "stat">): ReviewFinding[] {
  const { findings } = parseAnswer(answer, LooseReview)
  const present = findings.flatMap(({ file, missing }) => {
    const path = presentPath(file, files)
    return path !== undefined && missing.trim() !== "" ? [{ path, message: missing.trim() }] : []
  })
  return present.slice(0, MAX_FINDINGS)
}

function presentPath(given: string, files: Pick<Workspace, "stat">): WorkspacePath | undefined {
  try {
    const path = modelPath(given)
    const found = files.stat(path)
    return found?.type === "file" && !found.binary ? path : undefined
  } catch (error) {
    if (isAppError(error, "workspace_validation_error")) return undefined
    throw error
  }
}
