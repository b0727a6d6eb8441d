/// <reference path="./.sst/platform/config.d.ts" />

/** Resources in an AWS account. See `docs/deploy.md`. */
export default $config({
  app({ stage }) {
    const production = stage === "prod" || stage === "production"
    return {
      name: "switchyard",
      home: "aws",
      // In production, no command may delete stored data.
      removal: production ? "retain" : "remove",
      protect: production,
    }
  },
  async run() {
    const { createSecrets } = await import("./infra/secrets.ts")
    const { createStorage } = await import("./infra/storage.ts")
    const { createRunner } = await import("./infra/runner.ts")
    const { agents, withSockets } = await import("./infra/stage.ts")
    const { createWorker } = await import("./infra/worker.ts")
    const { createSlots } = await import("./infra/slots.ts")
    const { createSockets } = await import("./infra/sockets.ts")
    const { createRouter } = await import("./infra/web.ts")
    const { createApi } = await import("./infra/api.ts")
    const { createPreviews, previewNames } = await import("./infra/previews.ts")
    const { createSchedule } = await import("./infra/schedule.ts")
    const { createMetrics } = await import("./infra/metrics.ts")
    const { createAlarms } = await import("./infra/alarms.ts")
    const { createBackup } = await import("./infra/backup.ts")
    const { createBudget } = await import("./infra/budget.ts")
    const { createDashboard } = await import("./infra/dashboard.ts")

    const secrets = createSecrets()
    const storage = createStorage()
    const runner = agents ? await createRunner({ storage, secrets }) : undefined
    const worker = createWorker({ secrets, storage, runner })
    const slots = runner && createSlots({ storage, worker, runner })
    const sockets = withSockets ? createSockets({ secrets, storage, worker }) : undefined
    // The studio knows the previews' address, and previews that have their own names know the studio's.
    const atPaths = previewNames ? undefined : createPreviews({ secrets, storage, router: undefined })
    const previewsAt = atPaths ? $interpolate`https://${atPaths.domainName}` : (previewNames ?? "")
    const { router, files } = createRouter({ secrets, sockets, previews: previewsAt })
    const { preview, domainName } = atPaths ?? createPreviews({ secrets, storage, router })
    const api = createApi({ secrets, storage, worker, router, previews: domainName })
    const sweep = createSchedule({ storage, worker, slots })
    const { credentials, logins } = runner ?? {}
    const { socket, pump } = sockets ?? {}
    const functions = { ...api, preview, worker, sweep, credentials, logins, slots: slots?.fn, socket, pump }
    createMetrics(functions, runner?.logs)
    const watched = { ...functions, table: storage.environment.TABLE }
    createAlarms(watched)
    createDashboard(watched)
    createBackup({ storage })
    createBudget()
    return { url: router.url, studio: files.name, previews: domainName }
  },
})
