import { type ChildProcess, spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { isDeepStrictEqual } from "node:util"
import { removeFolder } from "../remove-folder.ts"
import { listen } from "./listen.ts"

/**
 * Fate of a request for a task. Without one, the task starts. `unheard`: the task starts, but the reply is lost.
 * `twice`: two tasks start. `late`: the task is known, and `beginLate` starts it.
 */
export type TaskFate = "throttled" | "full" | "dies" | "unheard" | "twice" | "late"

/** Setting with which functions find this ECS. */
export const PLACE = {
  cluster: "runners",
  task_definition: "runner:1",
  agent_definitions: { mock: "runner-mock:1" },
  subnets: ["subnet-a"],
  security_group: "sg-runner",
  has_private_network: false,
}

interface Task {
  id: string
  token: string
  session: string
  /** Task definition, which names the image. */
  definition: string
  own: Record<string, string>
  child?: ChildProcess
  ended?: string
}

interface RunTask {
  clientToken: string
  taskDefinition: string
  networkConfiguration: { awsvpcConfiguration: object }
  overrides: { containerOverrides: { environment: { name: string; value: string }[] }[] }
}

const PREFIX = "AmazonEC2ContainerServiceV20141113."
const MAIN = join(import.meta.dirname, "../../packages/runner/src/main.mjs")
const ARN = "arn:aws:ecs:eu-central-1:123456789012:task/runners/"

/**
 * Starts an ECS whose containers are processes of the real runner. `fates` lists the fates of the next requests for a
 * session's tasks. After these, requests succeed.
 */
export async function startEcs(options: {
  folder: string
  /** Includes the network that tasks may use. */
  place?: typeof PLACE
  /** Returns the environment in a task definition. */
  env: (definition: string) => Record<string, string>
  log: (text: string) => void
}) {
  const { folder, place = PLACE, env, log } = options
  const fates = new Map<string, TaskFate[]>()
  let onStopped: (taskArn: string) => void = () => {}
  const tasks: Task[] = []

  function runTask({
    clientToken: token,
    taskDefinition: definition,
    networkConfiguration: { awsvpcConfiguration: network },
    overrides,
  }: RunTask): { status: number; answer: object } | undefined {
    const assignPublicIp = place.has_private_network ? "DISABLED" : "ENABLED"
    const right = { subnets: place.subnets, securityGroups: [place.security_group], assignPublicIp }
    if (!isDeepStrictEqual(network, right)) {
      const message = `There is no such network: ${JSON.stringify(network)}`
      return { status: 400, answer: { __type: "InvalidParameterException", message } }
    }
    const told = overrides.containerOverrides[0]?.environment ?? []
    const own = Object.fromEntries(told.map(({ name, value }) => [name, value]))
    const session = own.RUNNER_SESSION ?? ""
    const fate = fates.get(session)?.shift()
    if (fate === "throttled") {
      return { status: 400, answer: { __type: "ThrottlingException", message: "Rate exceeded" } }
    }
    if (fate === "full")
      return { status: 200, answer: { tasks: [], failures: [{ reason: "Capacity is unavailable." }] } }
    const asked = { token, session, definition, own }
    const standing = tasks.find((each) => each.token === token)
    if (standing && !isDeepStrictEqual([standing.definition, standing.own], [definition, own])) {
      const message = "The token was used with other parameters."
      return { status: 400, answer: { __type: "ConflictException", message } }
    }
    const task = standing ?? add(asked, fate)
    if (fate === "twice") add(asked)
    if (fate === "unheard") return undefined
    return { status: 200, answer: { tasks: [described(task)], failures: [] } }
  }

  function add(asked: Pick<Task, "session" | "token" | "definition" | "own">, fate?: TaskFate): Task {
    const task: Task = { id: randomUUID().replaceAll("-", ""), ...asked }
    tasks.push(task)
    if (fate === "dies") task.ended = "CannotPullContainerError"
    else if (fate !== "late") begin(task)
    return task
  }

  function begin(task: Task): void {
    const { own, definition } = task
    const child = spawn(process.execPath, [MAIN], {
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: process.env.PATH,
        HOME: join(folder, task.id),
        ...env(definition),
        ...own,
        SWITCHYARD_DATA: join(folder, task.id),
        ECS_CONTAINER_METADATA_URI_V4: `http://${api.host}/metadata/${task.id}`,
      },
    })
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", log)
    child.once("exit", (code, signal) => {
      task.ended = `Essential container in task exited: ${code ?? signal}`
      onStopped(`${ARN}${task.id}`)
    })
    task.child = child
  }

  const calls: Record<string, (input: never) => { status: number; answer: object } | undefined> = {
    RunTask: runTask,
    DescribeTasks: ({ tasks: ids }: { tasks: string[] }) => {
      const found = tasks.filter(({ id }) => ids.includes(id))
      return { status: 200, answer: { tasks: found.map(described), failures: [] } }
    },
    ListTasks: () => {
      const running = tasks.filter(({ ended }) => !ended)
      return { status: 200, answer: { taskArns: running.map(({ id }) => `${ARN}${id}`) } }
    },
    StopTask: ({ task: id, reason }: { task: string; reason: string }) => {
      const task = tasks.find((standing) => standing.id === id)
      if (!task) return { status: 400, answer: { __type: "InvalidParameterException", message: "Task not found." } }
      if (task.child) task.child.kill("SIGTERM")
      else task.ended ??= reason
      return { status: 200, answer: { task: described(task) } }
    },
  }

  const api = await listen(async (request, response) => {
    const asked = /^\/metadata\/(\w+)\/task$/.exec(request.url ?? "")
    if (asked) return response.end(JSON.stringify({ TaskARN: `${ARN}${asked[1]}` }))
    const call = calls[String(request.headers["x-amz-target"]).slice(PREFIX.length)]
    if (!call) return response.writeHead(404).end()
    const answered = call(JSON.parse(await text(request)) as never)
    if (!answered) return response.destroy()
    const { status, answer } = answered
    response.writeHead(status, { "content-type": "application/x-amz-json-1.1" }).end(JSON.stringify(answer))
  })

  return {
    endpoint: `http://${api.host}`,
    /** Contains the disk of each task. */
    folder,
    fates,
    /** Sets the receiver of an event for each stopped task, like EventBridge. */
    onStopped(listener: (taskArn: string) => void) {
      onStopped = listener
    },
    /** Returns the tasks of a session, or those without a session, in the order of their starts. */
    tasksOf: (session = "") => tasks.filter((task) => task.session === session),
    /** Starts the tasks that are late. */
    beginLate(session = ""): void {
      for (const task of tasks) if (task.session === session && !task.child && !task.ended) begin(task)
    },
    /**
     * Loses the machine of a session's newest task, or of the newest task without a session, with its processes and
     * disk.
     */
    async kill(session = ""): Promise<void> {
      const task = tasks.findLast((begun) => begun.session === session && !begun.ended)
      if (!task?.child) return
      task.child.kill("SIGKILL")
      while (!task.ended) await new Promise(setImmediate)
      await removeFolder(join(folder, task.id), { kill: true })
    },
    async stop(): Promise<void> {
      for (const { child, ended } of tasks) if (!ended) child?.kill("SIGKILL")
      while (tasks.some(({ child, ended }) => child && !ended)) await new Promise(setImmediate)
      api.stop()
    },
  }
}

function described({ id, ended }: Task): object {
  const status = ended ? "STOPPED" : "RUNNING"
  return { taskArn: `${ARN}${id}`, lastStatus: status, desiredStatus: status, stoppedReason: ended }
}
