/** The API, drawn from its own description by a viewer that npm has brought. */
globalThis.SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#api",
  deepLinking: true,
  validatorUrl: null, // nobody elsewhere is asked
});
