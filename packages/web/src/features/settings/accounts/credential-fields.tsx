import type { NewAccount, Provider } from "@switchyard/core/people/accounts/schema"
import { Button } from "../../../ui/button.tsx"
import { Checkbox } from "../../../ui/checkbox.tsx"
import { FileButton } from "../../../ui/file-button.tsx"
import { Terminal, Upload } from "../../../ui/icons.tsx"
import { SecretField } from "../../../ui/secret-field.tsx"
import { Segments } from "../../../ui/segments.tsx"

export interface CredentialForm {
  kind: "api_key" | "login"
  api_key: string
  /** Files chosen as the log-in, by the provider's name for them. */
  files: Record<string, string>
  consent: boolean
}

export const blankCredential: CredentialForm = { kind: "api_key", api_key: "", files: {}, consent: false }

export const AGREE_FIRST = "Agree to these terms first."

const KINDS = { api_key: "Key", login: "Agent's own log-in" } as const

/** Returns the key or log-in for the request; neither if nothing was filled in. */
export function credentialRequest(
  { kind, api_key, files, consent }: CredentialForm,
  provider: Provider | undefined,
): Pick<NewAccount, "api_key" | "login"> {
  if (kind === "login" && provider?.login) return Object.keys(files).length > 0 ? { login: { files, consent } } : {}
  return provider?.needs_key && api_key.trim() !== "" ? { api_key: api_key.trim() } : {}
}

/** Explains what is missing from the log-in form. */
export function loginFaultOf({ kind, files, consent }: CredentialForm, provider: Provider | undefined) {
  if (kind !== "login" || !provider?.login) return undefined
  if (Object.keys(files).length === 0) return `Choose the file ${fileOf(provider.login)}.`
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

/** A key or, if the account can have one, the agent's own log-in. */
export function CredentialFields({ provider, name, value, onChange, label, faults, onLogIn }: Props) {
  const { login } = provider
  const key = provider.needs_key && (
    <SecretField
      label={label}
      hint="Encrypted; can't be viewed again."
      value={value.api_key}
      error={faults.api_key}
      onChange={(api_key) => onChange({ ...value, api_key })}
    />
  )
  if (!login) return key
  return (
    <div className="flex flex-col gap-3">
      <Segments
        legend="Works with"
        options={["api_key", "login"] as const}
        value={value.kind}
        label={(kind) => (kind === "api_key" && !provider.needs_key ? "No log-in" : KINDS[kind])}
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
        {login.command === null ? "Logging in from a terminal" : "Logging in here, or from a terminal of your own,"}{" "}
        makes one for this account alone:
      </p>
      {login.command !== null && (
        <Button size="sm" className="self-start" disabled={name.trim() === ""} onClick={onLogIn}>
          <Terminal size={15} aria-hidden /> Log in…
        </Button>
      )}
      <code className="-mt-1 rounded-md bg-well px-2.5 py-1.5 break-all">{command}</code>
      <p className="text-ink-2">
        Or choose the file <code>{file}</code> of a log-in that nothing else uses.
      </p>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <FileButton
          size="sm"
          field={`The file ${file}`}
          onChoose={async (chosen) => onChange({ ...value, files: { [file]: await chosen.text() } })}
        >
          <Upload size={15} aria-hidden /> Choose file…
        </FileButton>
        <span className="text-ink-3">{isChosen ? `${file} is chosen.` : "No file chosen."}</span>
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

/** Returns the file that every log-in contains. */
function fileOf({ files: [first = ""] }: Login): string {
  return first
}
