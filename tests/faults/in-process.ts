import { loadConfig } from "@switchyard/functions/config"
import type { Stores } from "@switchyard/functions/local/local-core"
import { type LocalOptions, type LocalServer, startLocalServer } from "@switchyard/functions/local/server"
import { type Canaries, createCanaries } from "../canaries.ts"
import { temporaryFolder } from "./processes.ts"

export interface InProcess extends AsyncDisposable {
  /** `stop` may be called repeatedly. */
  server: LocalServer
  folder: string
  /** Keys that no file of the server's own folder may contain. Disposing searches the folder. */
  canaries: Canaries
  /** The unwrapped stores. */
  stores: Stores
  /** Errors that the server reported, except those of work that its stop interrupted. */
  reported: unknown[]
}

/** Serves the product in this process, so that a test can wrap the server's stores. */
export async function serveHere({
  env = {},
  ...options
}: Partial<LocalOptions> & { folder?: string; env?: Record<string, string> } = {}): Promise<InProcess> {
  const own = options.folder === undefined ? await temporaryFolder() : undefined
  const canaries = own?.canaries ?? createCanaries()
  canaries.note(env)
  const folder = options.folder ?? own?.path ?? ""
  const reported: unknown[] = []
  let stores: Stores | undefined
  const server = await startLocalServer(
    loadConfig({ PORT: "0", SWITCHYARD_DATA: folder, WORKFLOW_REVIEW: "0", ...env }),
    {
      version: "0",
      report: (error) => void (isAbort(error) || reported.push(error)),
      ...options,
      wrapStores(inner) {
        stores = inner
        return options.wrapStores?.(inner) ?? inner
      },
    },
  )
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= server.stop())
  return {
    server: { ...server, stop },
    folder,
    canaries,
    stores: stores as unknown as Stores,
    reported,
    async [Symbol.asyncDispose]() {
      await stop()
      await own?.[Symbol.asyncDispose]()
    },
  }
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError"
}
