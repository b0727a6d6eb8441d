import type { Consent } from "@switchyard/core/agents/conversations/consent-schema"
import { CreatedToken, Me, type NewToken, type Token } from "@switchyard/core/people/access/schema"
import { AccountView, type LoginChange, type NewAccount, type Provider } from "@switchyard/core/people/accounts/schema"
import type {
  BudgetChange,
  BudgetStatus,
  WorkBudgetChange,
  WorkBudgetStatus,
} from "@switchyard/core/people/budget/schema"
import { CreatedGitHook, type ListedGitHook, type NewGitHook } from "@switchyard/core/people/git-hooks/schema"
import { GitHost, type NewGitHost } from "@switchyard/core/people/git-hosts/schema"
import type { UsageQuery } from "@switchyard/core/people/usage/schema"
import * as z from "zod"
import type { Requests, Waiting } from "./requests.ts"
import {
  AccountList,
  AgentProviders,
  Budget,
  ConsentList,
  GitHookList,
  GitHostList,
  PreferredInterface,
  TokenList,
  UsageReport,
  WorkBudget,
} from "./responses.ts"

/** Id of a session or a run. */
export type BudgetSubject = { session: string } | { run: string }

/** Requests for the caller's tokens, agent accounts, consents, git hosts, git hooks and usage. */
export interface AccountRequests {
  me(options: Waiting): Promise<Me>
  preferences(options: Waiting): Promise<z.infer<typeof PreferredInterface>>
  /** Creates a token. If the reply is lost, the token stays in the list, but its secret is lost. */
  createToken(input: NewToken, options: Waiting): Promise<CreatedToken>
  tokens(options: Waiting): Promise<Token[]>
  revokeToken(tokenId: string, options: Waiting): Promise<void>
  /**
   * Adds an agent's account. Throws `account_exists` if the caller has an account of this name, for example after a
   * lost reply.
   */
  createAccount(account: NewAccount, options: Waiting): Promise<AccountView>
  accounts(options: Waiting): Promise<AccountView[]>
  changeAccountKey(name: string, key: string, options: Waiting): Promise<AccountView>
  /** Replaces an account's key with its agent's own log-in. */
  changeAccountLogin(name: string, login: LoginChange, options: Waiting): Promise<AccountView>
  /** Lists the agents that accounts can use. */
  agentProviders(options: Waiting): Promise<Provider[]>
  removeAccount(name: string, options: Waiting): Promise<void>
  consents(options: Waiting): Promise<Consent[]>
  withdrawConsent(id: string, options: Waiting): Promise<void>
  /** Adds or replaces the token for a host. */
  putGitHost(host: string, settings: NewGitHost, options: Waiting): Promise<GitHost>
  gitHosts(options: Waiting): Promise<GitHost[]>
  removeGitHost(host: string, options: Waiting): Promise<void>
  /** Creates a git hook. If the reply is lost, the hook stays in the list, but its secret is lost. */
  createGitHook(settings: NewGitHook, options: Waiting): Promise<CreatedGitHook>
  gitHooks(options: Waiting): Promise<ListedGitHook[]>
  removeGitHook(id: string, options: Waiting): Promise<void>
  /** Returns the usage of the caller's runs. Throws `validation_error` for invalid days and names. */
  usage(query: Partial<UsageQuery>, options: Waiting): Promise<UsageReport>
  budget(options: Waiting): Promise<BudgetStatus>
  changeBudget(change: BudgetChange, options: Waiting): Promise<BudgetStatus>
  /** Returns the total budget of a session or a run. */
  workBudget(subject: BudgetSubject, options: Waiting): Promise<WorkBudgetStatus>
  /** Changes the total budget of a session or a run. Work that waits for budget continues. */
  changeWorkBudget(subject: BudgetSubject, change: WorkBudgetChange, options: Waiting): Promise<WorkBudgetStatus>
}

export function createAccountRequests({ ask }: Requests): AccountRequests {
  return {
    me: ({ signal }) => ask("GET /v1/me", Me, { signal }),

    preferences: ({ signal }) => ask("GET /api/v1/config/preferences", PreferredInterface, { signal }),

    createToken: (body, { signal }) => ask("POST /v1/tokens", CreatedToken, { body, signal }),

    tokens: async ({ signal }) => (await ask("GET /v1/tokens", TokenList, { signal })).tokens,

    async revokeToken(tokenId, { signal }) {
      await ask("DELETE /v1/tokens/{id}", z.unknown(), { path: { id: tokenId }, signal })
    },

    createAccount: (body, { signal }) => ask("POST /api/v1/accounts", AccountView, { body, signal }),

    accounts: async ({ signal }) => (await ask("GET /api/v1/accounts", AccountList, { signal })).accounts,

    changeAccountKey: (name, api_key, { signal }) =>
      ask("PUT /api/v1/accounts/{name}/key", AccountView, { path: { name }, body: { api_key }, signal }),

    changeAccountLogin: (name, body, { signal }) =>
      ask("PUT /api/v1/accounts/{name}/login", AccountView, { path: { name }, body, signal }),

    agentProviders: async ({ signal }) => (await ask("GET /api/v1/providers", AgentProviders, { signal })).providers,

    async removeAccount(name, { signal }) {
      await ask("DELETE /api/v1/accounts/{name}", z.unknown(), { path: { name }, signal })
    },

    consents: async ({ signal }) => (await ask("GET /api/v1/consents", ConsentList, { signal })).consents,

    async withdrawConsent(id, { signal }) {
      await ask("DELETE /api/v1/consents/{id}", z.unknown(), { path: { id }, signal })
    },

    putGitHost: (host, body, { signal }) =>
      ask("PUT /api/v1/git-hosts/{host}", GitHost, { path: { host }, body, signal }),

    gitHosts: async ({ signal }) => (await ask("GET /api/v1/git-hosts", GitHostList, { signal })).git_hosts,

    async removeGitHost(host, { signal }) {
      await ask("DELETE /api/v1/git-hosts/{host}", z.unknown(), { path: { host }, signal })
    },

    createGitHook: (body, { signal }) => ask("POST /api/v1/git-hooks", CreatedGitHook, { body, signal }),

    gitHooks: async ({ signal }) => (await ask("GET /api/v1/git-hooks", GitHookList, { signal })).git_hooks,

    async removeGitHook(hook, { signal }) {
      await ask("DELETE /api/v1/git-hooks/{hook}", z.unknown(), { path: { hook }, signal })
    },

    usage: (query, { signal }) => ask("GET /api/v1/usage", UsageReport, { query, signal }),

    budget: ({ signal }) => ask("GET /api/v1/config/budget", Budget, { signal }),

    changeBudget: (body, { signal }) => ask("PUT /api/v1/config/budget", Budget, { body, signal }),

    workBudget: (subject, { signal }) =>
      "session" in subject
        ? ask("GET /api/v1/sessions/{id}/budget", WorkBudget, { path: { id: subject.session }, signal })
        : ask("GET /v1/runs/{id}/budget", WorkBudget, { path: { id: subject.run }, signal }),

    changeWorkBudget: (subject, body, { signal }) =>
      "session" in subject
        ? ask("PUT /api/v1/sessions/{id}/budget", WorkBudget, { path: { id: subject.session }, body, signal })
        : ask("PUT /v1/runs/{id}/budget", WorkBudget, { path: { id: subject.run }, body, signal }),
  }
}
