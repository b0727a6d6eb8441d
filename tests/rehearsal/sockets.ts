import { once } from "node:events"
import { setTimeout as pause } from "node:timers/promises"
import { expect } from "vitest"
import { WebSocket } from "ws"
import { endsOf, expectSound, readSession } from "../faults/ledger.ts"
import { createClient, createToken } from "./client.ts"
import type { Cloud } from "./cloud.ts"
import { sidOf } from "./judge.ts"
import type { Scenarios } from "./stage.ts"

const PAST_A_LEASE_MS = 61_000
/** API Gateway's limits. */
const IDLE_MS = 10 * 60_000
const LONGEST_MS = 2 * 3_600_000
/** More than API Gateway takes in one message. */
const FLOOD_BYTES = 400_000

interface Message {
  type: string
  // biome-ignore lint/suspicious/noExplicitAny: whatever the scenario expects of it
  data: any
}

/** Sessions over WebSockets, through the Router and API Gateway to both functions. */
export const sockets: Scenarios = {
  async "an agent's terminal over a socket: cut, idle, too old, and its machine lost, and nothing is missing"({
    cloud,
  }) {
    const { gateway } = cloud
    if (!gateway) throw new Error("This stage has no sockets.")
    const client = await createClient(cloud)
    const { id } = await client.send<{ id: string }>("/api/v1/sessions", {})
    const viewer = openViewer(cloud, id, await createToken(cloud))
    await viewer.connect()
    const task_description = `Wait. mock: ${JSON.stringify({ flood_bytes: FLOOD_BYTES, hangs: true })}`
    const asked = { task_description, coding_agent: "mock" }
    const { task_id } = await client.send<{ task_id: string }>(`/api/v1/sessions/${id}/tasks`, asked)
    await viewer.until(({ data }) => data.type === "runner_awaited" && data.phase === "requested")
    await viewer.until(({ type }) => type === "terminal")
    await viewer.until(({ data }) => data.type === "agent_turn_started")
    await viewer.types("hello")

    gateway.cut()
    await viewer.connectAgain()
    await viewer.types("after the cut")
    gateway.pass(IDLE_MS)
    await viewer.connectAgain()
    await viewer.types("after the silence")
    for (let passed = 0; passed < LONGEST_MS; passed += IDLE_MS - 1) {
      viewer.say({ type: "ping" })
      await viewer.until(({ type }) => type === "pong")
      gateway.pass(IDLE_MS - 1)
    }
    await viewer.connectAgain()
    await viewer.types("after two hours")

    await cloud.ecs.kill(sidOf(id))
    await cloud.sweep({ aheadMs: PAST_A_LEASE_MS })
    // The agent's memory may be lost with its machine. Then its first turn ends at once, and input for that turn goes
    // to the next one.
    await viewer.until(({ data }) => data.type === "agent_turn_started")
    await viewer.types("on another machine")
    viewer.say({ type: "cancel" })
    await viewer.until(({ type }) => type === "complete")

    // The log grows until the container is gone.
    await viewer.until(({ data }) => data.type === "runner_parked")
    const ledger = await readSession(cloud.stores, id)
    expectSound(ledger, id)
    expect(endsOf(ledger.events, task_id).map(({ type }) => type)).toEqual(["run_cancelled"])
    expect(cloud.ecs.tasksOf(sidOf(id))).toHaveLength(2)
    const logged = ledger.events.map(({ seq }) => seq)
    expect(viewer.seqs().slice(0, logged.length)).toEqual(logged)
    expect(gateway.failed).toEqual([])
    await viewer.close()
    // A pump that continues after its client left costs money.
    while (cloud.lambda.isAtWork("socket-pump")) await pause(50)
  },
}

/**
 * Opens a client that follows the documentation: it resumes from its cursor, and numbers its input from 1 in each
 * connection.
 */
function openViewer({ url }: Cloud, session: string, token: string) {
  const told: Message[] = []
  let read = 0
  let typed = 0
  let socket: WebSocket | undefined
  let news = Promise.withResolvers<void>()
  function notify(): void {
    news.resolve()
    news = Promise.withResolvers()
  }
  const seqs = () => told.flatMap(({ type, data }) => (type === "event" ? [data.seq as number] : []))

  async function connect(): Promise<void> {
    const cursor: string | undefined = told.findLast(({ data }) => data.cursor)?.data.cursor
    const query = new URLSearchParams(cursor === undefined ? {} : { since_seq: cursor })
    const address = `${url.replace("http", "ws")}/ws/${session}?${query}`
    socket = new WebSocket(address, { headers: { authorization: `Bearer ${token}` } })
    typed = 0
    socket.on("message", (text) => {
      told.push(whole(JSON.parse(String(text))))
      notify()
    })
    socket.on("close", notify)
    await once(socket, "open")
  }

  /** Parts of an incomplete message. */
  let parts: string[] = []
  function whole(message: Message): Message {
    if (message.type !== "part") return message
    const { index, count, text } = message.data
    parts = [...(index === 0 ? [] : parts), text]
    return parts.length === count ? JSON.parse(parts.join("")) : message
  }

  function open(): WebSocket {
    if (socket?.readyState !== WebSocket.OPEN) throw new Error("The socket was closed.")
    return socket
  }

  async function until(isWanted: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      for (; read < told.length; ) {
        const message = told[read++] as Message
        if (isWanted(message)) return message
        if (message.type === "error") throw new Error(`It was told: ${JSON.stringify(message.data)}`)
      }
      open()
      await news.promise
    }
  }

  const say = (message: object) => open().send(JSON.stringify(message))

  return {
    ...{ connect, until, say, seqs },
    /** Waits until the connection has ended, and opens another. */
    async connectAgain(): Promise<void> {
      if (socket && socket.readyState !== WebSocket.CLOSED) await once(socket, "close")
      await connect()
    },
    /**
     * Types a line, and waits until the agent has received it. Between two turns the line is refused, and typed again.
     */
    async types(line: string): Promise<void> {
      for (;;) {
        say({ type: "input", data: Buffer.from(`${line}\r`).toString("base64"), client_seq: ++typed })
        const isTold = ({ data }: Message) => data.type === "user_message" && data.content === line
        const isRefused = ({ type, data }: Message) => type === "error" && data.code === "terminal_invalid"
        if (isTold(await until((message) => isTold(message) || isRefused(message)))) return
        await pause(50)
      }
    },
    async close(): Promise<void> {
      const closing = open()
      closing.close()
      await once(closing, "close")
    },
  }
}
