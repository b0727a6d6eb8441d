import { clsx } from "clsx"
import type { ReactNode } from "react"
import { Link } from "wouter"
import { paths, type SettingsSection } from "../../session/context/routes.ts"
import { useCurrentInSight } from "../../ui/use-current-in-sight.ts"
import { KeysSection } from "../models/keys-section.tsx"
import { AccountsSection } from "./accounts/accounts-section.tsx"
import { AppearanceSection } from "./appearance-section.tsx"
import { AppsSection } from "./apps/apps-section.tsx"
import { CleanupSection } from "./data/cleanup-section.tsx"
import { TransferSection } from "./data/transfer-section.tsx"
import { GitHooksSection } from "./git-hooks/git-hooks-section.tsx"
import { GitHostsSection } from "./git-hosts/git-hosts-section.tsx"
import { Installation } from "./installation.tsx"
import { LimitsSection } from "./limits/limits-section.tsx"
import { PermissionsSection } from "./permissions/permissions-section.tsx"
import { ConsentsSection } from "./repositories/consents-section.tsx"
import { RepositoriesSection } from "./repositories/repositories-section.tsx"
import { TokensSection } from "./tokens/tokens-section.tsx"
import { VerificationSection } from "./verification/verification-section.tsx"

const sections = {
  appearance: {
    title: "Appearance",
    summary: "Theme, motion and keyboard",
    content: <AppearanceSection />,
  },
  model: {
    title: "Keys and models",
    summary: "API keys, the default model and chat instructions",
    content: <KeysSection />,
  },
  accounts: {
    title: "Accounts",
    summary: "Credentials for coding agents",
    content: <AccountsSection />,
  },
  limits: {
    title: "Limits",
    summary: "What agents do when an account nears its limit",
    content: <LimitsSection />,
  },
  permissions: {
    title: "Permissions",
    summary: "What agents can do and when they must ask",
    content: <PermissionsSection />,
  },
  verification: {
    title: "Verification",
    summary: "Checks and reviews of agents' work",
    content: <VerificationSection />,
  },
  repositories: {
    title: "Repositories",
    summary: "Worktree setup and your consents",
    content: (
      <>
        <RepositoriesSection />
        <ConsentsSection />
      </>
    ),
  },
  "git-hosts": {
    title: "Git hosts",
    summary: "Tokens for private repositories and pull requests",
    content: <GitHostsSection />,
  },
  "git-hooks": {
    title: "Git hooks",
    summary: "Start agents from repository events",
    content: <GitHooksSection />,
  },
  apps: { title: "Published apps", summary: "Apps you've published", content: <AppsSection /> },
  tokens: {
    title: "Access tokens",
    summary: "Sign-in tokens for people and scripts",
    content: <TokensSection />,
  },
  data: { title: "Data", summary: "Session cleanup and settings export", content: <DataSection /> },
} satisfies Record<SettingsSection, { title: string; summary: string; content: ReactNode }>

export function SettingsScreen({ section }: { section: SettingsSection }) {
  const { title, summary, content } = sections[section]
  return (
    <div className="flex h-full overflow-y-auto max-md:flex-col" data-region="settings" tabIndex={-1}>
      <div className="shrink-0 border-line md:sticky md:top-0 md:flex md:w-[220px] md:flex-col md:border-r md:p-3">
        <SectionLinks here={section} />
        <div className="mt-auto px-3 pb-2 max-md:hidden">
          <Installation />
        </div>
      </div>
      <div className="min-w-0 flex-1 px-10 py-8 max-md:px-4 max-md:py-5">
        <div className="max-w-[680px]">
          <h1 className="text-xl">{title}</h1>
          <p className="mb-6 text-ink-3">{summary}.</p>
          {content}
          <div className="mt-10 border-t border-line pt-4 md:hidden">
            <Installation />
          </div>
        </div>
      </div>
    </div>
  )
}

function SectionLinks({ here }: { here: SettingsSection }) {
  const strip = useCurrentInSight<HTMLUListElement>(here)
  return (
    <nav aria-label="Settings">
      <ul
        ref={strip}
        className="flex gap-0.5 fade-edges max-md:overflow-x-auto max-md:[scrollbar-width:none] max-md:border-b max-md:border-line max-md:px-2 md:flex-col"
      >
        {Object.entries(sections).map(([id, { title }]) => (
          <li key={id}>
            <Link
              href={paths.settings(id as SettingsSection)}
              aria-current={id === here ? "page" : undefined}
              className={clsx(
                "flex h-9 items-center px-3 text-sm whitespace-nowrap max-md:h-11 max-md:border-b-2 md:rounded-md md:border-l-4",
                id === here
                  ? "border-accent font-semibold text-ink md:bg-well"
                  : "border-transparent text-ink-2 hover:text-ink md:hover:bg-well",
              )}
            >
              {title}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** Settings for how long sessions are kept, and the export and import of settings. */
function DataSection() {
  return (
    <>
      <CleanupSection />
      <TransferSection />
    </>
  )
}
