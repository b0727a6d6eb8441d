import { hkdfSync, randomBytes } from "node:crypto"
import { createServer } from "node:http"
import { homedir } from "node:os"
import { join } from "node:path"
import { getRequestListener } from "@hono/node-server"
import type { CliId } from "@switchyard/core/agents/clis/clis"
import { readAgentSetup } from "@switchyard/core/agents/setup/in-thread"
import type { ModelProvider } from "@switchyard/core/models/provider"
import { createOpenApp } from "@switchyard/core/sessions/apps/app-store"
import { makeFolder } from "@switchyard/core/storage/make-folder"
import { openStores } from "@switchyard/core/storage/open-stores"
import { verifySignedBlob } from "@switchyard/core/storage/signed-blobs"
import { type Clock, systemClock } from "@switchyard/core/time"
import type { FetchPage } from "@switchyard/core/work/pages/fetch-page"
import { createAccess } from "../access.ts"
import { createApp } from "../app.ts"
import type { Config } from "../config.ts"
import type { AppDeps } from "../deps.ts"
import { malformedRequest } from "../http/errors.ts"
import { appNameAt } from "../http/guards.ts"
import { previewSigningKey } from "../previews/keys.ts"
import { createPreviewApp } from "../previews/preview-app.ts"
import { createConfinesChecks, readAgentIsolation } from "./agent-isolation.ts"
import { readCheckout } from "./checkout.ts"
import { createRetire } from "./disk.ts"
import { checkFolder, hasFolder } from "./folders.ts"
import { listen } from "./listen.ts"
import { composeLocal, type Stores } from "./local-core.ts"
import { maintain } from "./maintenance.ts"
import { rejectMalformed } from "./malformed-request.ts"
import { listNativeSessions } from "./native-sessions.ts"
import { proxyRequest } from "./preview-proxy.ts"
import { createPreviews, isLocalPreviewHost } from "./previews.ts"
import { adminToken, localToken, masterKey } from "./secrets.ts"
import { localAddress, secretAddress } from "./sign-in.ts"
import { isWebSocketUpgrade, serveSockets } from "./sockets.ts"
import { createStudioFiles } from "./studio-files.ts"
import { writeToHome } from "./write-to-home.ts"

export interface LocalOptions {
  version: string
  report: (error: unknown) => void
  /** Provider for models named `scripted/…`. */
  scripted?: ModelProvider
  clock?: Clock
  /** Folder with the built studio. Without it, only the API is served. */
  studioFolder?: string
  /** Called if a port is in use, before the next port is tried. Can throw to prevent further attempts. */
  portTaken?: (port: number) => void
  /** Replaces the client that fetches public web pages. Only for tests. */
  fetchPage?: FetchPage
  /** Wraps the stores. Only for tests. */
  wrapStores?: (stores: Stores) => Stores
}

export interface LocalServer {
  url: string
  /** File that contains the generated admin token. Undefined if a token is configured. */
  adminTokenFile?: string
  /** Token for this machine's user, if the server creates one. */
  localToken?: string
  /** Hands over runs, ends streams, and closes the stores. */
  stop(): Promise<void>
}

const KEEP_ALIVE_MS = 75_000

/** Starts the API, the worker and the sweep in one process, using SQLite and files. */
export async function startLocalServer(given: Config, options: LocalOptions): Promise<LocalServer> {
  const { config, adminTokenFile } = await withAdminToken(given)
  const { report, clock = systemClock, wrapStores = (stores) => stores } = options
  const { home } = config
  const key = await masterKey(config.dataFolder)
  // Deny other users access to this folder: it contains worktrees, which git makes readable for everyone. If agents run
  // as other users, the runner grants those users access.
  await makeFolder(join(config.dataFolder, "projects"), { mode: 0o700 })
  const signingKey = new Uint8Array(hkdfSync("sha256", key, "", "switchyard/signed-urls", 32))
  const timer = { name: randomBytes(9).toString("base64url"), monotonic: clock.monotonic }
  const stopping = new AbortController()
  let url = ""
  let token: string | undefined
  const links = { publicUrl: () => config.publicUrl ?? url, signingKey, timer, now: clock.now }
  const stores = await openStores(config.services, { path: config.dataFolder, ...links })
  const { records, blobs } = wrapStores(stores)

  const { core, isServed, ...executing } = composeLocal(config, {
    records,
    blobs,
    clock,
    key,
    address: () => config.publicUrl ?? url,
    scripted: options.scripted,
    stopping: stopping.signal,
    report,
  })
  const access = createAccess(config, { ...core, records, clock, report, masterKey: key })
  const previews = createPreviews(config, {
    signingKey: previewSigningKey(key),
    secretName: () => token && secretAddress(localAddress(url), token)?.hostname,
    serverSocket: executing.previewSocket,
  })
  const deps: AppDeps = {
    ...core,
    config,
    access,
    version: options.version,
    clock,
    records,
    blobs,
    report,
    stopping: stopping.signal,
    agents: {
      local: true,
      checkFolder: (folder, options) => checkFolder(folder, { agentUser: config.agents.user, ...options }),
      readCheckout: (folder, options) => readCheckout(folder, { agentUser: config.agents.user, ...options }),
      hasFolder,
      ...(home !== undefined && { readSetup: (cli: CliId) => readAgentSetup(home, cli) }),
      confinesChecks: createConfinesChecks(),
      isolation: await readAgentIsolation(config),
      ...(config.agents.user === undefined && {
        nativeSessions: {
          list: (folder, options) => listNativeSessions(homedir(), folder, options),
          write: (files) => writeToHome(homedir(), files),
        },
      }),
    },
    fetchPage: options.fetchPage,
    newSessionId: () => randomBytes(16).toString("hex"),
    sockets: true,
    studio: options.studioFolder === undefined ? undefined : createStudioFiles(options.studioFolder),
    previews,
    verifySignedBlob: (pathAndQuery) => verifySignedBlob({ signingKey, timer, now: clock.now }, pathAndQuery),
  }
  const app = createApp(deps)
  const previewApp = createPreviewApp({
    ...deps,
    previews,
    openApp: createOpenApp(deps),
    hostHeader: "host",
    proxy: proxyRequest,
  })
  const showsPages = (host: string) => isLocalPreviewHost(host) || appNameAt(host, config) !== undefined
  const appOf = ({ headers }: Request) => (showsPages(headers.get("host") ?? "") ? previewApp : app)
  const server = createServer(
    // Longer than clients and proxies keep an idle connection open. Otherwise, a client could send a request on a
    // connection that the server is just closing.
    { keepAliveTimeout: KEEP_ALIVE_MS, shouldUpgradeCallback: isWebSocketUpgrade },
    getRequestListener((request, env) => appOf(request).fetch(request, env), {
      overrideGlobalObjects: false,
      errorHandler: malformedRequest,
    }),
  )
  server.on("clientError", rejectMalformed)
  const sockets = serveSockets(server, { ...deps, previews })
  url = await listen(server, config, options.portTaken)
  token = config.auth.makesToken
    ? await localToken(config.dataFolder, access.tokens, { signal: stopping.signal })
    : undefined
  const disk = {
    ...core.sweep,
    dataFolder: config.dataFolder,
    isServed,
    report,
    retire: createRetire(config),
  }
  const maintaining = maintain(
    { sweep: core.sweep, disk, recoverLogins: executing.recoverLogins, shrink: stores.shrink, report },
    { signal: stopping.signal },
  )

  return {
    url,
    adminTokenFile,
    localToken: token,
    async stop() {
      stopping.abort()
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeIdleConnections()
      sockets.close()
      await Promise.all([executing.stop(), maintaining])
      server.closeAllConnections()
      await closed
      stores.close()
    },
  }
}

/**
 * Adds the generated admin token to the configuration. A server that requires tokens needs it, because all other tokens
 * are created with it.
 */
async function withAdminToken(config: Config): Promise<{ config: Config; adminTokenFile?: string }> {
  if (config.auth.mode === "open" || config.auth.adminToken || config.auth.makesToken) return { config }
  const { token, file } = await adminToken(config.dataFolder)
  return { config: { ...config, auth: { ...config.auth, adminToken: token } }, adminTokenFile: file }
}
