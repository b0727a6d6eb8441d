/** What is wrong with a sign-up, field by field. Nothing is, when there are no fields. */
export function checkSignUp({ name, email }) {
  const problems = {}
  if (name.trim() === "") problems.name = "Please tell us your name."
  if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email.trim())) problems.email = "Please check your email address."
  return problems
}
