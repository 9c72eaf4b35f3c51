/** Copies of tools with other fields, for plain objects and for class instances. */

type Methods = Record<PropertyKey, unknown>;

/** A copy of `tool` with other fields; all else, symbols, getters, prototype and methods, is the tool's. */
export function withFields<Tool extends object>(tool: Tool, fields: Record<string, unknown>): Tool {
  const prototype: unknown = Object.getPrototypeOf(tool);
  const properties = isPlain(prototype) ? Object.getOwnPropertyDescriptors(tool) : facade(tool);
  for (const [name, value] of Object.entries(fields)) {
    const enumerable = properties[name]?.enumerable ?? isPlain(prototype);
    properties[name] = { value, enumerable, configurable: true, writable: true };
  }
  return Object.create(prototype as object | null, properties) as Tool;
}

function isPlain(prototype: unknown): boolean {
  return prototype === null || prototype === Object.prototype;
}

/**
 * Properties that look like the instance's and work on the instance: getters and methods of classes may use private fields, which no copy
 * has.
 */
function facade(instance: object): PropertyDescriptorMap {
  const properties = Object.create(null) as PropertyDescriptorMap;
  const methods = instance as Methods;
  for (const key of Reflect.ownKeys(instance)) {
    properties[key] = { ...forward(methods, key), enumerable: Object.prototype.propertyIsEnumerable.call(instance, key) };
  }
  for (let level: unknown = Object.getPrototypeOf(instance); isClass(level); level = Object.getPrototypeOf(level)) {
    for (const [key, descriptor] of entries(level)) {
      if (key === 'constructor' || Object.hasOwn(properties, key)) continue;
      const method: unknown = descriptor.value;
      properties[key] =
        typeof method === 'function'
          ? { value: method.bind(instance) as unknown, configurable: true, writable: true }
          : forward(methods, key);
    }
  }
  return properties;
}

function isClass(level: unknown): level is object {
  return level !== null && level !== Object.prototype;
}

function entries(level: object): [PropertyKey, PropertyDescriptor][] {
  return Reflect.ownKeys(level).map((key) => [key, Object.getOwnPropertyDescriptor(level, key) ?? {}]);
}

function forward(instance: Methods, key: PropertyKey): PropertyDescriptor {
  return {
    get: () => instance[key],
    set: (value: unknown) => {
      instance[key] = value;
    },
    configurable: true,
  };
}
