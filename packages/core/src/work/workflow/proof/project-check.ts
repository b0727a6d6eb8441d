import type { Finding } from "../../checks/facts/finding.ts"
import { faultsOf, isNewAfter } from "../../checks/workspace-faults.ts"
import type { NodeDeps } from "../nodes/node-deps.ts"
import type { WorkflowState } from "../nodes/state.ts"

const TOLD_FAULTS = 50

/**
 * Checks the project's files without running them, and logs the result. Returns the faults caused by the run: faults in
 * files that the run wrote, and faults that have appeared since the run began.
 */
export async function checkFiles({ context, journal, openFiles }: NodeDeps, base: WorkflowState["base"]) {
  const options = { signal: context.signal }
  const files = await openFiles()
  const found = await faultsOf(files, options)
  const isOwn = ({ path }: Finding) => journal.progress.finished.includes(path)
  // A file that no page loads may be older than the page that the run wrote, so this fault isn't necessarily the run's.
  const isSurelyOwn = (fault: Finding) => isOwn(fault) && fault.rule !== "unreached_file"
  const before = base && !found.every(isSurelyOwn) ? await faultsOf(await openFiles(base), options) : []
  const isNew = isNewAfter(before)
  const faults = found.filter((fault) => isSurelyOwn(fault) || (isNew(fault) && (isOwn(fault) || base !== undefined)))
  const counts = { file_count: files.manifest.files.length, fault_count: faults.length }
  await context.write([{ type: "files_checked", ...counts, faults: faults.slice(0, TOLD_FAULTS) }])
  return faults
}
