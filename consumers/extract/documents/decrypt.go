package documents

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/binary"
	"encoding/xml"
	"hash"
	"unicode/utf16"
)

// openPassword is the password with which Excel encrypts a workbook that is protected against
// changes only (MS-OFFCRYPTO 2.4.2.4). Excel opens such a file without asking.
const openPassword = "VelvetSweatshop"

// maxSpins bounds how often a password is hashed; Excel writes 50,000 or 100,000.
const maxSpins = 200_000

// decryptOpen returns the package in an encrypted compound file if it opens with openPassword, else
// ErrEncrypted.
func decryptOpen(ctx context.Context, info, encrypted []byte) ([]byte, error) {
	size := le32(encrypted, 0)
	data := part(encrypted, 8, len(encrypted))
	var out []byte
	switch le16(info, 2) {
	case 4: // agile, version 4.4
		out = decryptAgile(ctx, part(info, 8, len(info)), data)
	case 2: // standard, versions 2.2 to 4.2
		out = decryptStandard(ctx, part(info, 4, len(info)), data)
	}
	if out == nil || size < 0 || size > len(out) {
		return nil, ErrEncrypted
	}
	return out[:size], nil
}

func passwordBytes() []byte {
	var b []byte
	for _, u := range utf16.Encode([]rune(openPassword)) {
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	return b
}

// spin hashes salt and password, and the result spins times more, each with its number in front
// (2.3.4.11); nil if it takes too long.
func spin(ctx context.Context, h hash.Hash, salt []byte, spins int) []byte {
	if spins < 0 || spins > maxSpins {
		return nil
	}
	key := sum(h, salt, passwordBytes())
	for i := range spins {
		if i&0xfff == 0 && ctx.Err() != nil {
			return nil
		}
		key = sum(h, binary.LittleEndian.AppendUint32(nil, uint32(i)), key)
	}
	return key
}

func sum(h hash.Hash, parts ...[]byte) []byte {
	h.Reset()
	for _, p := range parts {
		h.Write(p)
	}
	return h.Sum(nil)
}

// fit cuts b to a length, or fills it up (2.3.4.11).
func fit(b []byte, n int) []byte {
	for len(b) < n {
		b = append(b, 0x36)
	}
	return b[:n]
}

// agileKey are the attributes of keyData and encryptedKey (2.3.4.10).
type agileKey struct {
	Salt      string `xml:"saltValue,attr"`
	BlockSize int    `xml:"blockSize,attr"`
	KeyBits   int    `xml:"keyBits,attr"`
	Hash      string `xml:"hashAlgorithm,attr"`
	Cipher    string `xml:"cipherAlgorithm,attr"`
	Chaining  string `xml:"cipherChaining,attr"`
	Spins     int    `xml:"spinCount,attr"`
	Input     string `xml:"encryptedVerifierHashInput,attr"`
	Verifier  string `xml:"encryptedVerifierHashValue,attr"`
	Key       string `xml:"encryptedKeyValue,attr"`
}

func (k *agileKey) hash() hash.Hash {
	switch k.Hash {
	case "SHA1", "SHA-1":
		return sha1.New()
	case "SHA256", "SHA-256":
		return sha256.New()
	case "SHA384", "SHA-384":
		return sha512.New384()
	case "SHA512", "SHA-512":
		return sha512.New()
	}
	return nil
}

func (k *agileKey) known() bool {
	return k.hash() != nil && k.Cipher == "AES" && k.Chaining == "ChainingModeCBC" && k.BlockSize == aes.BlockSize && (k.KeyBits == 128 || k.KeyBits == 192 || k.KeyBits == 256)
}

// decryptAgile undoes agile encryption (2.3.4.10 to 2.3.4.15); nil if the password is another one.
func decryptAgile(ctx context.Context, info, data []byte) []byte {
	var e struct {
		Data agileKey `xml:"keyData"`
		Keys []struct {
			Key agileKey `xml:"encryptedKey"`
		} `xml:"keyEncryptors>keyEncryptor"`
	}
	if xml.Unmarshal(info, &e) != nil || len(e.Keys) == 0 {
		return nil
	}
	k := &e.Keys[0].Key
	if !k.known() || !e.Data.known() {
		return nil
	}
	h, salt := k.hash(), fromBase64(k.Salt)
	base := spin(ctx, h, salt, k.Spins)
	if base == nil {
		return nil
	}
	open := func(block string, value string) []byte {
		return cbc(fit(sum(h, base, []byte(block)), k.KeyBits/8), fit(salt, aes.BlockSize), fromBase64(value))
	}
	input, want := open("\xfe\xa7\xd2\x76\x3b\x4b\x9e\x79", k.Input), open("\xd7\xaa\x0f\x6d\x30\x61\x34\x4e", k.Verifier)
	if input == nil || len(want) < h.Size() || !bytes.Equal(sum(h, part(input, 0, len(salt))), want[:h.Size()]) {
		return nil
	}
	key := open("\x14\x6e\x0b\xe7\xab\xac\xd0\xd6", k.Key)
	if len(key) < e.Data.KeyBits/8 {
		return nil
	}
	return agileSegments(ctx, &e.Data, key[:e.Data.KeyBits/8], data)
}

// segmentBytes is the unit in which the package is encrypted.
const segmentBytes = 4096

func agileSegments(ctx context.Context, k *agileKey, key, data []byte) []byte {
	h, salt := k.hash(), fromBase64(k.Salt)
	out := make([]byte, 0, len(data))
	for i := 0; len(data) > 0; i++ {
		n := min(segmentBytes, len(data))
		clear := cbc(key, fit(sum(h, salt, binary.LittleEndian.AppendUint32(nil, uint32(i))), aes.BlockSize), data[:n])
		if clear == nil || ctx.Err() != nil {
			return nil
		}
		out, data = append(out, clear...), data[n:]
	}
	return out
}

// cbc decrypts whole blocks; what is over is left out. nil if there is none, or the key is no key.
func cbc(key, iv, data []byte) []byte {
	data = data[:len(data)/aes.BlockSize*aes.BlockSize]
	c, err := aes.NewCipher(key)
	if err != nil || len(data) == 0 {
		return nil
	}
	out := make([]byte, len(data))
	cipher.NewCBCDecrypter(c, iv).CryptBlocks(out, data)
	return out
}

func fromBase64(s string) []byte {
	b, _ := base64.StdEncoding.DecodeString(s)
	return b
}

// standardSpins is how often standard encryption hashes a password (2.3.4.7).
const standardSpins = 50_000

// decryptStandard undoes standard encryption (2.3.4.5 to 2.3.4.9), which is AES block by block; nil
// if the password is another one. info begins with the flags.
func decryptStandard(ctx context.Context, info, data []byte) []byte {
	head, verifier := part(info, 8, le32(info, 4)), part(info, 8+le32(info, 4), len(info))
	bits := le32(head, 16)
	salt := part(verifier, 4, le32(verifier, 0))
	if len(salt) != 16 || len(verifier) < 4+16+16+4+32 || (bits != 128 && bits != 192 && bits != 256) {
		return nil
	}
	h := sha1.New()
	base := spin(ctx, h, salt, standardSpins)
	if base == nil {
		return nil
	}
	final := sum(h, base, []byte{0, 0, 0, 0})
	pad := func(with byte) []byte {
		b := bytes.Repeat([]byte{with}, 64)
		for i, c := range final {
			b[i] ^= c
		}
		return sum(h, b)
	}
	c, err := aes.NewCipher(append(pad(0x36), pad(0x5c)...)[:bits/8])
	if err != nil {
		return nil
	}
	blocks := func(b []byte) []byte {
		out := make([]byte, len(b)/aes.BlockSize*aes.BlockSize)
		for i := 0; i < len(out); i += aes.BlockSize {
			c.Decrypt(out[i:], b[i:i+aes.BlockSize])
		}
		return out
	}
	if !bytes.Equal(sum(h, blocks(verifier[20:36])), blocks(verifier[40:72])[:sha1.Size]) {
		return nil
	}
	return blocks(data)
}
