import { faultsOf, isNewAfter } from "../../checks/workspace-faults.ts"
import type { StagedChange } from "../files.ts"
import { layResults } from "../node-files.ts"
import { refused } from "../refusals.ts"
import type { MemberRun } from "./member.ts"

/** Maximum number of files in a project to check. A check reads all files, so larger projects aren't checked. */
const MOST_FILES = 2000
const TOLD_FAULTS = 50
const SHOWN_FAULTS = 20

/**
 * Checks the project with a team's results, and logs the outcome. Throws if the team's changes contain definite errors.
 * If the coordinator calls `finish` again despite the errors, returns their number instead.
 */
export async function checkResults({ deps, context }: MemberRun, results: readonly StagedChange[]) {
  if (results.length === 0) return 0
  const { base, head } = await layResults({ deps, context }, results)
  if (head.manifest.files.length > MOST_FILES) return 0
  const found = await faultsOf(head, context)
  const faults = found.length > 0 ? found.filter(isNewAfter(await faultsOf(base, context))) : []
  const isLeft = faults.length > 0 && (await wasTold(context))
  const counts = { file_count: head.manifest.files.length, fault_count: faults.length }
  await context.write([{ type: "files_checked", ...counts, faults: faults.slice(0, TOLD_FAULTS) }])
  if (faults.length === 0 || isLeft) return faults.length
  const lines = faults.slice(0, SHOWN_FAULTS).map(({ path, message }) => `- ${path}: ${message}`)
  throw refused(
    [
      "Not finished, because the published files taken together have faults:",
      ...lines,
      "Have a worker fix them in a node that depends on the nodes that published these files, and publish the fixed files under the same paths. Then call finish again. If you call finish without fixing them, the faults stay.",
    ].join("\n"),
  )
}

/** Returns true if faults have been reported to the coordinator since the last time the team reached its goal. */
async function wasTold(context: MemberRun["context"]): Promise<boolean> {
  let told = false
  for await (const event of context.history()) {
    if (event.type === "team_finished") told = false
    if (event.type === "files_checked" && event.fault_count > 0) told = true
  }
  return told
}
