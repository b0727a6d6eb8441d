import * as z from "zod"
import { createAccess } from "../../access.ts"
import type { Cloud } from "../cloud.ts"
import { createConnections } from "./connections.ts"
import { createGateway } from "./gateway.ts"

const Settings = z.object({
  /** API Gateway's endpoint for sending messages to its connections. */
  CONNECTIONS: z.url(),
})

/** Opens the dependencies shared by the functions behind API Gateway's connections. */
export function openSockets(cloud: Cloud, env: Record<string, string | undefined>) {
  const { CONNECTIONS: endpoint } = Settings.parse(env)
  const { config, core, masterKey } = cloud
  if (!masterKey || !config.auth.adminToken)
    throw new Error("MASTER_KEY and ADMIN_TOKEN are required to serve connections.")
  return {
    ...cloud,
    ...core,
    access: createAccess(config, { ...cloud, ...core, masterKey }),
    connections: createConnections(cloud),
    gateway: createGateway({ endpoint }),
  }
}
