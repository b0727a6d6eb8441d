import type { Operations } from "@switchyard/client/operations"
import type * as z from "zod"
import type { Requests, Waiting } from "./requests.ts"
import {
  Agent,
  AgentList,
  type AgentReply,
  type Question,
  QuestionList,
  Reply,
  Sent,
  SentMessage,
} from "./responses.ts"

type AnswerBody = Operations["POST /api/v1/sessions/{id}/questions/{question}/answer"]["body"]
export type AnswerChoice = AnswerBody["choice"]

/** Requests for the agents of a session, and their questions. */
export interface AgentRequests {
  /** Lists the agents of a session, `main` first. */
  agents(sessionId: string, options: Waiting): Promise<Agent[]>
  addAgent(
    sessionId: string,
    agent: Operations["POST /api/v1/sessions/{id}/agents"]["body"],
    options: Waiting,
  ): Promise<void>
  closeAgent(sessionId: string, agent: string, options: Waiting): Promise<void>
  /** Sends a message to an agent, by its id or name. Retries with the same `message_id` count once. */
  say(
    to: { sessionId: string; agent: string },
    message: Operations["POST /api/v1/sessions/{id}/agents/{agent}/messages"]["body"],
    options: Waiting,
  ): Promise<z.infer<typeof SentMessage>>
  /** Returns the agent's last answer when it is idle, or its status after `waitSeconds`. */
  reply(of: { sessionId: string; agent: string }, options: Waiting & { waitSeconds: number }): Promise<AgentReply>
  /** Lists the questions of agents in all sessions. */
  questions(options: Waiting): Promise<Question[]>
  /** Answers a question. Throws `question_answered` if it already has an answer. */
  answer(asked: { sessionId: string; questionId: string }, answer: AnswerBody, options: Waiting): Promise<void>
}

export function createAgentRequests({ ask }: Requests): AgentRequests {
  return {
    agents: async (id, { signal }) =>
      (await ask("GET /api/v1/sessions/{id}/agents", AgentList, { path: { id }, signal })).agents,

    async addAgent(id, body, { signal }) {
      await ask("POST /api/v1/sessions/{id}/agents", Agent, { path: { id }, body, signal })
    },

    async closeAgent(id, agent, { signal }) {
      await ask("DELETE /api/v1/sessions/{id}/agents/{agent}", Agent, { path: { id, agent }, signal })
    },

    say: ({ sessionId, agent }, body, { signal }) => {
      const path = { id: sessionId, agent }
      return ask("POST /api/v1/sessions/{id}/agents/{agent}/messages", SentMessage, { path, body, signal })
    },

    reply: ({ sessionId, agent }, { waitSeconds, signal }) =>
      ask("GET /api/v1/sessions/{id}/agents/{agent}/wait", Reply, {
        path: { id: sessionId, agent },
        query: { seconds: waitSeconds },
        signal,
        waitMs: waitSeconds * 1000,
      }),

    questions: async ({ signal }) => (await ask("GET /api/v1/questions", QuestionList, { signal })).questions,

    async answer({ sessionId, questionId }, body, { signal }) {
      const path = { id: sessionId, question: questionId }
      await ask("POST /api/v1/sessions/{id}/questions/{question}/answer", Sent, { path, body, signal })
    },
  }
}
