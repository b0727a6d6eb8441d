import { formatCount } from "@switchyard/core/text/format"
import type { Cli } from "../cli.ts"
import { downloadInto, downloadZip } from "../downloads/download.ts"
import { checkTarget } from "../downloads/unpack.ts"
import { CliError, UsageError } from "../errors/errors.ts"
import { type WorkspaceChoice, workspaceOf } from "./workspace-of.ts"

interface DownloadOptions extends WorkspaceChoice {
  out?: string
  zip?: string
  force?: boolean
}

/**
 * Downloads a workspace, either as a zip or into a directory. By default, the directory is named after the workspace.
 */
export async function download(cli: Cli, { out, zip, force = false, ...choice }: DownloadOptions): Promise<void> {
  if (out && zip) throw new UsageError("Use --out or --zip, not both.")
  const signal = cli.interrupts.first
  const workspaceId = await workspaceOf(cli, choice)
  if ((await cli.api.tree(workspaceId, { signal })).length === 0)
    throw new CliError(`There are no files in the workspace "${workspaceId}".`)
  if (zip) {
    await downloadZip(cli, workspaceId, zip, { overwrite: force, signal })
    printResult(cli, { zip }, zip)
    return
  }
  const directory = out ?? workspaceId
  await checkTarget(directory, { merge: force })
  const files = await downloadInto(cli, workspaceId, directory, { merge: force, signal })
  printResult(cli, { directory, files }, `${formatCount(files, "file")} in ${directory}`)
}

function printResult({ terminal }: Cli, value: unknown, text: string) {
  if (terminal.json) terminal.printJson(value)
  else terminal.print(text)
}
