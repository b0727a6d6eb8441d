import { request as httpRequest } from "node:http"
import { request as httpsRequest } from "node:https"
import { connect, type Socket } from "node:net"
import type { HostPolicy } from "@switchyard/core/network/host-policy"
import { machineProxy } from "./machine-proxy.ts"

export interface Target {
  host: string
  port: number
}

export type Dial = (target: Target, options: { signal: AbortSignal }) => Promise<Socket>

/** Returns a function that connects to allowed hosts. It uses the machine's proxy if one is configured. */
export function createDial({ policy, env }: { policy: HostPolicy; env: Record<string, string | undefined> }): Dial {
  return async (target, { signal }) => {
    const proxy = machineProxy(env, target)
    // The host needn't be checked: the operator chose the proxy, and the proxy resolves names itself.
    if (proxy) return tunnel(proxy, target, signal)
    await policy.check(target.host, { signal })
    const socket = connect({ ...target, lookup: policy.lookupFor(target.host), signal })
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve)
      socket.once("error", reject)
    })
    return socket
  }
}

/** Connects to the target through a proxy, using the CONNECT method. */
function tunnel(proxy: URL, { host, port }: Target, signal: AbortSignal): Promise<Socket> {
  const path = `${host.includes(":") ? `[${host}]` : host}:${port}`
  const { username, password } = proxy
  const plain = [username, password].map(decodeURIComponent).join(":")
  const authorization = username && { "proxy-authorization": `Basic ${Buffer.from(plain).toString("base64")}` }
  return new Promise((resolve, reject) => {
    const asked = (proxy.protocol === "https:" ? httpsRequest : httpRequest)({
      ...{ method: "CONNECT", host: proxy.hostname.replace(/^\[|\]$/g, ""), path, signal, agent: false },
      port: proxy.port || (proxy.protocol === "https:" ? 443 : 80),
      headers: { host: path, ...authorization },
    })
    asked.once("connect", ({ statusCode }, socket, head) => {
      if (statusCode !== 200) {
        socket.destroy()
        return reject(new Error(`The machine's proxy responded with ${statusCode}.`))
      }
      if (head.length > 0) socket.unshift(head)
      resolve(socket as Socket)
    })
    asked.once("response", (answer) => {
      answer.destroy()
      reject(new Error(`The machine's proxy responded with ${answer.statusCode}.`))
    })
    asked.once("error", reject)
    asked.end()
  })
}
