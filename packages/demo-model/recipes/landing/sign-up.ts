/** What is wrong with a sign-up, field by field. Nothing is, when there are no fields. */
export function checkSignUp({ name, email }: { name: string; email: string }): { name?: string; email?: string } {
  const problems: { name?: string; email?: string } = {}
  if (name.trim() === "") problems.name = "Please tell us your name."
  if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email.trim())) problems.email = "Please check your email address."
  return problems
}
