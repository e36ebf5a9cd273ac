/** `<|channel|>final<|message|>Hello` */
export const HELLO = [200005, 17196, 200008, 13225]
