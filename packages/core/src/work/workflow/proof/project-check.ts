import type { Finding } from "../../checks/facts/finding.ts"
import type { NodeDeps } from "../nodes/node-deps.ts"
import type { WorkflowState } from "../nodes/state.ts"

const TOLD_FAULTS = 50

/**
 * Checks the files of the project without running them, and tells the log. Resolves to what is wrong as far as the run has to
 * do with it: in the files that it wrote, or anywhere since it began.
 */
export async function checkFiles({ context, journal, openFiles }: NodeDeps, base: WorkflowState["base"]) {
  const options = { signal: context.signal }
  // Loaded with the first check: a worker needn't know grammars to start.
  const { faultsOf, isNewAfter } = await import("../../checks/workspace-faults.ts")
  const files = await openFiles()
  const found = await faultsOf(files, options)
  const isOwn = ({ path }: Finding) => journal.progress.finished.includes(path)
  // A page that the run wrote may stand beside files that nobody has loaded for long.
  const isSurelyOwn = (fault: Finding) => isOwn(fault) && fault.rule !== "unreached_file"
  const before = base && !found.every(isSurelyOwn) ? await faultsOf(await openFiles(base), options) : []
  const isNew = isNewAfter(before)
  const faults = found.filter((fault) => isSurelyOwn(fault) || (isNew(fault) && (isOwn(fault) || base !== undefined)))
  const counts = { file_count: files.manifest.files.length, fault_count: faults.length }
  await context.write([{ type: "files_checked", ...counts, faults: faults.slice(0, TOLD_FAULTS) }])
  return faults
}
