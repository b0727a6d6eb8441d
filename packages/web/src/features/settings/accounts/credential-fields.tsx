import type { NewAccount, Provider } from "@switchyard/core/people/accounts/schema"
import { Button } from "../../../ui/button.tsx"
import { Checkbox } from "../../../ui/checkbox.tsx"
import { FileButton } from "../../../ui/file-button.tsx"
import { KeyField } from "../../../ui/key-field.tsx"
import { Terminal, Upload } from "../../../ui/more-icons.tsx"
import { Segments } from "../../../ui/segments.tsx"

export interface CredentialForm {
  kind: "api_key" | "login"
  api_key: string
  /** Files chosen as the login, by the provider's name for them. */
  files: Record<string, string>
  consent: boolean
}

export const blankCredential: CredentialForm = { kind: "api_key", api_key: "", files: {}, consent: false }

export const AGREE_FIRST = "Agree to these terms first."

const KINDS = { api_key: "Key", login: "Agent's own login" } as const

/** Returns the key or login for the request; neither if nothing was filled in. */
export function credentialRequest(
  { kind, api_key, files, consent }: CredentialForm,
  provider: Provider | undefined,
): Pick<NewAccount, "api_key" | "login"> {
  if (kind === "login" && provider?.login) return Object.keys(files).length > 0 ? { login: { files, consent } } : {}
  return provider?.needs_key && api_key.trim() !== "" ? { api_key: api_key.trim() } : {}
}

/** Explains what is missing from the login form. */
export function loginFaultOf({ kind, files, consent }: CredentialForm, provider: Provider | undefined) {
  if (kind !== "login" || !provider?.login) return undefined
  if (Object.keys(files).length === 0) return `Choose the ${fileOf(provider.login)} file.`
  return consent ? undefined : AGREE_FIRST
}

interface Props {
  provider: Provider
  /** Account name, for the command that logs in. */
  name: string
  value: CredentialForm
  onChange(value: CredentialForm): void
  label: string
  faults: Partial<Record<string, string>>
  /** Logs in using the agent's own program, in a terminal on this page. */
  onLogIn(): void
}

/** A key or, if the account can have one, the agent's own login. */
export function CredentialFields({ provider, name, value, onChange, label, faults, onLogIn }: Props) {
  const { login } = provider
  const key = provider.needs_key && (
    <KeyField
      label={label}
      hint="The key is encrypted and never shown again."
      value={value.api_key}
      error={faults.api_key}
      onChange={(api_key) => onChange({ ...value, api_key })}
    />
  )
  if (!login) return key
  return (
    <div className="flex flex-col gap-3">
      <Segments
        legend="Authenticate with"
        options={["api_key", "login"] as const}
        value={value.kind}
        label={(kind) => (kind === "api_key" && !provider.needs_key ? "No login" : KINDS[kind])}
        onChange={(kind) => onChange({ ...value, kind })}
      />
      {value.kind === "api_key" ? (
        key
      ) : (
        <LoginFields {...{ login, provider, name, value, onChange, faults, onLogIn }} />
      )}
    </div>
  )
}

type Login = NonNullable<Provider["login"]>

function LoginFields({
  login,
  provider,
  name,
  value,
  onChange,
  faults,
  onLogIn,
}: Omit<Props, "label"> & { login: Login }) {
  const file = fileOf(login)
  const isChosen = value.files[file] !== undefined
  const command = `npx switchyard accounts login ${name.trim() || "NAME"} --provider ${provider.type} --consent`
  return (
    <div className="flex flex-col gap-3 text-sm">
      <p className="text-ink-2">{login.notice}</p>
      <p className="text-ink-2">
        {login.command === null ? "Log in from a terminal" : "Log in here or from your own terminal"} to create a login
        for this account only:
      </p>
      {login.command !== null && (
        <Button size="sm" className="self-start" disabled={name.trim() === ""} onClick={onLogIn}>
          <Terminal size={15} aria-hidden /> Log in…
        </Button>
      )}
      <code className="-mt-1 rounded-md bg-well px-2.5 py-1.5 break-all">{command}</code>
      <p className="text-ink-2">
        Or choose the <code>{file}</code> file from a login that isn't used elsewhere.
      </p>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <FileButton
          size="sm"
          field={`${file} file`}
          onChoose={async (chosen) => onChange({ ...value, files: { [file]: await chosen.text() } })}
        >
          <Upload size={15} aria-hidden /> Choose file…
        </FileButton>
        <span className="text-ink-3">{isChosen ? `Selected file: ${file}` : "No file selected."}</span>
      </div>
      <Checkbox
        label="I agree to these terms"
        value={value.consent}
        onChange={(consent) => onChange({ ...value, consent })}
      />
      {faults.login && (
        <p role="alert" className="text-err">
          {faults.login}
        </p>
      )}
    </div>
  )
}

/** Returns the file that every login contains. */
function fileOf({ files: [first = ""] }: Login): string {
  return first
}
