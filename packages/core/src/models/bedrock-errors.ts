import { thrownError } from "./check-response.ts"
import { ModelError } from "./errors.ts"

/** AWS's exceptions, and the codes that `provider-error.ts` knows for the same failures. */
const codes: Record<string, string> = {
  ThrottlingException: "rate_limit_error",
  TooManyRequestsException: "rate_limit_error",
  ServiceQuotaExceededException: "usage_limit_reached",
  ModelNotReadyException: "overloaded_error",
  ServiceUnavailableException: "overloaded_error",
  ModelTimeoutException: "timeout_error",
  ModelErrorException: "api_error",
  ModelStreamErrorException: "api_error",
  InternalServerException: "api_error",
  AccessDeniedException: "permission_error",
  ExpiredTokenException: "authentication_error",
  ExpiredToken: "authentication_error",
  UnrecognizedClientException: "authentication_error",
  InvalidSignatureException: "authentication_error",
  IncompleteSignatureException: "authentication_error",
  MissingAuthenticationTokenException: "authentication_error",
  ResourceNotFoundException: "not_found_error",
}

interface Cause {
  /** Wording of AWS. */
  pattern: RegExp
  /** Code, if the exception's own code says something else. */
  code?: string
  /** Remedy for the operator. */
  advice: string
}

/** Causes that can be recognized only by an error's wording, and their remedies. The first match is used. */
const causes: Cause[] = [
  {
    pattern: /\btokens? per day\b/i,
    code: "usage_limit_reached",
    advice: "Raise this quota of the AWS account in Service Quotas, or choose another model.",
  },
  {
    pattern: /INVALID_PAYMENT_INSTRUMENT/,
    code: "billing_error",
    advice: "Add a valid payment method to the AWS account.",
  },
  {
    pattern: /on-demand throughput isn.t supported/i,
    code: "model_not_found",
    advice: "Name an inference profile of this model in BEDROCK_MODELS, such as us.MODEL or global.MODEL.",
  },
  {
    pattern: /model identifier is invalid|Could not resolve the foundation model|end of its life/i,
    code: "model_not_found",
    advice: "Correct the name in BEDROCK_MODELS, or the region in BEDROCK_REGION.",
  },
  {
    pattern: /use case details|aws-marketplace|access to the model|Model access is denied/i,
    code: "permission_error",
    advice:
      "An administrator of the AWS account must open this model once, in the model catalog of the Bedrock console. That can take some minutes to apply.",
  },
  {
    pattern: /not authorized to perform: bedrock:/i,
    advice:
      "The server's AWS role may not use this model. On a stage, name the model in BEDROCK_MODELS and deploy again. Elsewhere, allow bedrock:InvokeModelWithResponseStream for it.",
  },
  {
    pattern: /prompt caching/i,
    advice: "This model doesn't cache prompts. Please report its name.",
  },
  {
    pattern: /token (?:included in the request )?(?:is|has) expired|ExpiredToken/i,
    code: "authentication_error",
    advice: "Log in to AWS again, for example with `aws sso login`, and repeat the request.",
  },
  {
    pattern: /Signature (?:not yet current|expired)/i,
    advice: "Set the clock of this machine.",
  },
  {
    pattern: /security token included in the request is invalid|signature we calculated/i,
    advice: "Check the AWS credentials of this server.",
  },
]

/** Returns an error of the kind that SDKs throw, with AWS's exception translated. IAM writes `Message`. */
export function refusalOf({ headers, status }: Pick<Response, "headers" | "status">, body: unknown): Error {
  const reported = (body ?? {}) as Record<string, unknown>
  const type = headers.get("x-amzn-errortype") ?? reported.__type ?? reported.code ?? ""
  const translated = translate(String(type), reported.message ?? reported.Message)
  return Object.assign(thrownError({ ...reported, ...translated }), { status, headers })
}

/** Returns the error for an exception within a stream. */
export function streamFailure(type: string, fields: { message?: unknown }): Error {
  return thrownError(translate(type.charAt(0).toUpperCase() + type.slice(1), fields.message))
}

/** Returns the error for credentials that couldn't be loaded. */
export function noCredentials(error: unknown): ModelError {
  const reason = error instanceof Error ? error.message : String(error)
  const advice = "Give this server a role of the AWS account, or log in on this machine with the AWS CLI."
  const sentence = reason.endsWith(".") ? reason : `${reason}.`
  return new ModelError("auth_error", `There are no AWS credentials for Amazon Bedrock: ${sentence} ${advice}`)
}

/** Returns true if AWS refused the credentials because they have expired. */
export function isExpired(response: Response): boolean {
  return /^ExpiredToken/.test(response.headers.get("x-amzn-errortype") ?? "")
}

/** Returns true if an address doesn't know the request, as that of a VPC endpoint for another part of Bedrock. */
export function isUnknownOperation({ status, headers }: Pick<Response, "status" | "headers">, body: string): boolean {
  return status === 404 && /UnknownOperationException/.test(`${headers.get("x-amzn-errortype")} ${body}`)
}

/** Translates an exception. Its name may be followed by the URL of its namespace. */
function translate(type: string, told: unknown): { code: string; type: string; message: string } {
  const name = (type.split("#").at(-1) ?? "").split(":")[0] ?? ""
  const message = typeof told === "string" ? told : ""
  const cause = causes.find(({ pattern }) => pattern.test(message) || pattern.test(name))
  const code = cause?.code ?? (Object.hasOwn(codes, name) ? (codes[name] ?? name) : name)
  const kind = name === "ValidationException" ? "invalid_request_error" : ""
  return { code, type: kind, message: [message, cause?.advice ?? ""].filter(Boolean).join(" ") }
}
