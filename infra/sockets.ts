/// <reference path="../.sst/platform/config.d.ts" />
import { SOCKETS_STAGE } from "../packages/functions/src/aws/paths.ts"
import { allowInvoke, createFunction, invoke, type LiveFunction } from "./function.ts"
import type { Secrets } from "./secrets.ts"
import type { Storage } from "./storage.ts"

/**
 * Creates the WebSockets for sessions. API Gateway holds the connections, one function handles clients' messages, and
 * another sends each connected client its session's events. They cost nothing while there are no connections.
 */
export function createSockets(deps: { secrets: Secrets; storage: Storage; worker: LiveFunction }) {
  const { secrets, storage, worker } = deps
  const { region } = aws.getRegionOutput({})
  // Clients' messages don't have this field, so all of them use the default route.
  const api = new aws.apigatewayv2.Api("Sockets", {
    protocolType: "WEBSOCKET",
    routeSelectionExpression: "$request.body.route",
  })
  const domain = $interpolate`${api.id}.execute-api.${region}.amazonaws.com`
  const connections = {
    actions: ["execute-api:ManageConnections"],
    resources: [$interpolate`${api.executionArn}/${SOCKETS_STAGE}/*/@connections/*`],
  }
  const common = {
    memory: "256 MB" as const,
    traced: false,
    retries: 0 as const,
    key: storage.key,
    environment: {
      ...storage.environment,
      MASTER_KEY: secrets.masterKey,
      ADMIN_TOKEN: secrets.adminToken,
      CONNECTIONS: $interpolate`https://${domain}/${SOCKETS_STAGE}`,
    },
    permissions: [storage.records, storage.blobNames, storage.readBlobs, connections],
  }
  const pump = createFunction("Pump", {
    ...common,
    handler: "packages/functions/src/aws/socket-pump.handler",
    description: "Sends WebSocket connections their session's events",
    timeout: "15 minutes",
  })
  const socket = createFunction("Socket", {
    ...common,
    handler: "packages/functions/src/aws/socket.handler",
    description: "Handles WebSocket connections and messages",
    timeout: "29 seconds",
    environment: {
      ...common.environment,
      ORIGIN_SECRET: secrets.originSecret,
      PUMP: pump.invokeName,
      WORKER: worker.invokeName,
    },
    permissions: [...common.permissions, storage.writeBlobs, invoke(pump), invoke(worker)],
  })
  allowInvoke("SocketsInvoke", socket, {
    principal: "apigateway.amazonaws.com",
    sourceArn: $interpolate`${api.executionArn}/${SOCKETS_STAGE}/*`,
  })
  const integration = new aws.apigatewayv2.Integration("SocketsIntegration", {
    apiId: api.id,
    integrationType: "AWS_PROXY",
    integrationMethod: "POST",
    integrationUri: socket.invokeArn,
  })
  for (const [name, routeKey] of [
    ["SocketsConnect", "$connect"],
    ["SocketsMessage", "$default"],
    ["SocketsDisconnect", "$disconnect"],
  ] as const) {
    new aws.apigatewayv2.Route(name, { apiId: api.id, routeKey, target: $interpolate`integrations/${integration.id}` })
  }
  new aws.apigatewayv2.Stage("SocketsStage", { apiId: api.id, name: SOCKETS_STAGE, autoDeploy: true })
  return { domain, socket, pump }
}
